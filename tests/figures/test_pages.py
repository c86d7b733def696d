"""The pages: all curves and all claims, self-contained, and honest about the data."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from figure_tables import regret_rows
from verdict_runs import CLAIMS

from horde.figures import interval, pages
from horde.results.statistics import Interval
from horde.verdict.history import Change
from horde.verdict.judge import Evidence, judge, judge_alternatives
from horde.verdict.multiverse import EFFECT_COLUMNS, SHARE_COLUMNS

LABEL = r"我的音乐 $a$ \ % {{ b }} </script>"
ESCAPED = LABEL.replace("<", "&lt;").replace(">", "&gt;")


@pytest.fixture
def regret_page(tmp_path):
    def write(*tables, name="regret.html"):
        panels = [pages.Panel(LABEL, "Data <i>", table) for table in tables]
        pages.write_regret(tmp_path / name, panels, run="r", generated=False)
        return (tmp_path / name).read_text("utf-8")

    return write


def charts(text):
    """The curves of each chart, by the chart's place: lists of plotly's traces."""
    found = re.findall(r'Plotly\.newPlot\(\s*"([^"]+)",\s*(\[.*?\]),\s*\{"', text, re.DOTALL)
    return {name: json.loads(traces) for name, traces in found}


def test_the_page_holds_all_curves_and_the_same_bytes_every_time(regret_page):
    tables = regret_rows(), regret_rows("delicious", ("tuned",))
    text = regret_page(*tables)
    found = charts(text)
    assert [*found] == ["chart-0-tuned", "chart-0-paper", "chart-1-tuned"]
    for name, traces in found.items():
        place, variant = name.split("-")[1:]
        rows = tables[int(place)]
        rows = rows[rows["variant"] == variant]
        lines = {trace["legendgroup"]: trace for trace in traces if trace["mode"] == "lines"}
        assert len(lines) == rows["policy"].nunique()
        for policy, own in rows.groupby("policy"):
            line = lines["GOBLIN (local solver)" if policy == "GOBLIN" else policy]
            assert line["x"] == own["round"].tolist()
            assert line["y"] == own["ratio_mean"].tolist()
    assert regret_page(*tables, name="again.html") == text


@pytest.mark.parametrize(
    ("seeds", "stated"),
    [
        (1, "One run (seed 0)"),
        (2, "Mean of 2 runs (seeds 0 to 1)"),
        (3, "Mean and 95 % interval of 3 runs (seeds 0 to 2)"),
    ],
)
def test_a_panel_states_its_data_and_seeds_and_has_bands_from_three_on(regret_page, seeds, stated):
    text = regret_page(regret_rows(seeds=seeds))
    assert f"<p>Data &lt;i&gt;. {stated}.</p>" in text
    bands = [trace for trace in charts(text)["chart-0-tuned"] if trace.get("fill") == "toself"]
    assert bool(bands) is (seeds >= 3)


def test_the_page_names_the_final_values_best_first(regret_page):
    text = regret_page(regret_rows(variants=["tuned"]))
    rows = re.findall(r"<tr><td>(.*?)</td><td>(.*?)</td><td>(.*?)</td></tr>", text)
    assert [row[0] for row in rows][:3] == ["G-TS", "GOBLIN (local solver)", "CLUB"]
    assert rows[-1] == ("Random", "1.0000", "0.9800 to 1.0200")


def test_labels_are_shown_as_they_are(regret_page):
    text = regret_page(regret_rows().replace({"policy": {"CLUB": "<b>%{y}$x$"}}))
    assert f">{ESCAPED}</h2>" in text
    assert "<td>&lt;b&gt;%{y}$x$</td>" in text
    names = [trace.get("name") for trace in charts(text)["chart-0-tuned"]]
    assert "&lt;b&gt;%{y}$x$" in names  # plotly shows the entities' characters


# The verdict

TABLE = pd.DataFrame(
    {
        "figure": ["1b"] * 12,
        "policy": ["CLUB"] * 3 + ["G-EG"] * 6 + ["G-TS"] * 3,
        "solver": ["none"] * 3 + ["cg"] * 3 + ["local"] * 3 + ["cg"] * 3,
        "n": 1024,
        "d": [10, 100, 500] * 4,
        "edges": 5,
        "seconds_per_round": [1, 30, 400, 1, 10.5, 50, 1, 100, 9000, 1, 10.5, 50],
    }
).assign(q25=1, q75=1)
EVIDENCE = Evidence(tables={"scalability": TABLE})
JUDGED, ALTERNATIVES = (by(CLAIMS.values(), EVIDENCE) for by in (judge, judge_alternatives))


@pytest.fixture
def verdict_page(tmp_path):
    def write(generated=False, changes=(), draft=False, others=()):
        TABLE.to_csv(tmp_path / "scalability.csv", index=False)
        path = tmp_path / "results" / "verdict.html"
        pages.write_verdict(
            path,
            CLAIMS,
            JUDGED,
            ALTERNATIVES,
            {"scalability": tmp_path / "scalability.csv"},
            tmp_path / "figures",
            run="a<b",
            generated=generated,
            data=[LABEL],
            seeds={"verdict": [200, 209]},
            changes=changes,
            draft=draft,
            others=dict(others),
        )
        return path.read_text("utf-8")

    return write


def article(text, claim):
    return text.split(f'<article id="{claim}">')[1].split("</article>")[0]


def test_each_claim_has_its_result_in_words_with_picture_figure_and_lines(verdict_page):
    text = verdict_page()
    assert re.findall(r'<article id="(\w+)">', text) == list(CLAIMS)
    part = article(text, "S8")
    assert f"<blockquote>“{CLAIMS['S8'].quote}”</blockquote>" in part
    assert "Time of CLUB over that of G-EG (CG) as a power of d: exponent" in part
    assert '<svg class="interval ' in part
    assert 'href="../figures/fig1b_d.png"' in part
    assert '<a href="../scalability.csv">../scalability.csv</a>, lines 2-7, 11-13' in part
    assert "measured" in part
    assert not re.search(r"\de[+-]\d", re.sub("<details>.*?</details>", "", text, flags=re.DOTALL))


def test_the_index_has_a_link_to_each_claim_with_its_verdict(verdict_page):
    index = verdict_page().split('<nav class="counts"')[1].split("</nav>")[0]
    verdicts = JUDGED.set_index("claim")["verdict"].str.replace(" ", "-")
    links = re.findall(r'<a class="([\w-]+)" href="#(\w+)">\2</a>', index)
    assert links == [(verdicts[name], name) for name in CLAIMS]


def test_alternative_readings_and_version_1_stand_with_a_claim(verdict_page):
    part = article(verdict_page(), "S8")
    assert 'Alternative reading, with the local solver:</span> <span class="outcome' in part
    assert "G-EG (local)" in part
    assert "lines 2-4, 8-10" in part
    assert "Version 1:" in part
    assert "New in version 2" in article(verdict_page(), "C1")


def test_a_claim_without_numbers_says_why_and_has_no_picture(verdict_page):
    part = article(verdict_page(), "R1")
    assert "No verdict seeds." in part
    assert "<svg" not in part


def test_both_counts_and_a_draft_are_told(verdict_page):
    text = verdict_page()
    counts = [re.findall(r">([a-z ]+)</span> (\d+)<", line) for line in text.splitlines()]
    now, before = (found for found in counts if found)
    assert sum(int(number) for _, number in now) == len(CLAIMS)
    assert before == [("reproduced", "17"), ("not reproduced", "13"), ("inconclusive", "3")]
    assert "Rules in draft" not in text
    assert "Rules in draft" in verdict_page(draft=True)


def test_what_controls_and_multiverse_say_stands_with_a_claim(verdict_page):
    shares = pd.DataFrame([["R6", 40, 30, 0.75, 20, 0.5]], columns=SHARE_COLUMNS)
    effects = pd.DataFrame([["R6", "split_tags", "", 0.6]], columns=EFFECT_COLUMNS)
    control = {"dataset": "lastfm", "policy": "G-EG", "reading": "tuned", "lam": 0.1}
    controls = pd.DataFrame(
        [
            {**control, "graph": "given", "ratio_mean": 0.75},
            {**control, "graph": "none", "ratio_mean": 0.9},
        ]
    )
    others = {"multiverse_claims": shares, "multiverse_effects": effects, "controls": controls}
    text = verdict_page(others=others)
    assert "in 30 of 40 specifications, by the interval in 20" in article(text, "R6")
    assert "depends most on: tags cut into words (60 % of the variance)" in article(text, "R6")
    graphs = "G-EG on Last.fm with the given graph 0.750, no graph 0.900."
    assert graphs in article(text, "R3")
    assert "Controls" not in article(text, "R6")
    # C3 plays another configuration, which no control was run in.
    assert "Controls" not in article(text, "C3")


def test_a_picture_shows_the_interval_against_what_the_rule_asks():
    picture = interval.picture(
        Interval(16.7, 16.0, 17.4), 50, np.nan, "not reproduced", factor=True
    )
    places = [float(x) for x in re.findall(r'(?:cx="|M)(-?[\d.]+)', picture)]
    _axis, bound, low, value = places
    assert low < value < bound
    assert 'aria-label="16.7; at least 50"' in picture
    assert interval.picture(Interval(np.nan, np.nan, np.nan), 50, np.nan, "not run") == ""
    assert interval.picture(Interval(1, 1, 1), 1, 1, "reproduced")


def test_generated_data_are_named(verdict_page):
    assert "Generated data, not the paper" not in verdict_page()
    assert "Generated data, not the paper" in verdict_page(generated=True)
    assert "Version 1, on other seeds of the real data" in verdict_page(generated=True)
    assert "Version 1, on other seeds:" in verdict_page()


def test_changes_of_the_rules_stand_on_the_page(verdict_page):
    change = Change("R5", "rule", "today")
    assert "No rule has changed" in verdict_page()
    assert "R5, its rule (today)" in verdict_page(changes=[change])
    assert "no git history" in verdict_page(changes=None)


# Both


def test_pages_load_nothing_from_elsewhere_and_escape_what_they_show(regret_page, verdict_page):
    for text in (regret_page(regret_rows()), verdict_page()):
        assert "content=\"default-src 'none'; script-src 'unsafe-inline'" in text
        ours = re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL)
        assert not re.search(r"(src|href)=[\"']?(https?:)?//", ours)
        assert "<script src" not in text
        assert ESCAPED in text
        assert LABEL not in text
    assert "run a&lt;b</h1>" in text
