"""The article: numbers are looked up, sentences follow outcomes, missing tables are named."""

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
import yaml
from verdict_runs import CLAIMS, publishable_run

from horde import article, files
from horde.errors import ConfigError, DataError
from horde.experiments.code import ROOT as PACKAGE
from horde.results.controls import COLUMNS, GAIN_COLUMNS, GAINS
from horde.results.tables import TUNING_COLUMNS
from horde.verdict import reading
from horde.verdict.claims import Status
from horde.verdict.multiverse import EFFECT_COLUMNS, SHARE_COLUMNS

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "docs" / "results"
SOURCE = ROOT / "docs" / "article"
TEMPLATE = SOURCE / "article.typ"
REMARKS = yaml.safe_load((SOURCE / "remarks.yaml").read_text("utf-8"))

# Digits that are no result: names, places in the paper, claims, citations, and Typst's own.
NAMES = ("HetRec 2011", "style.typ", "grids.alpha2")
PLACES = r"\b(Section|Sections|Figure|Appendix|Theorem|Table)s? \d+(\.\d+)?[ab]?"
CLAIM = r"\b[SRLTBC]\d+\b"
CITED = r"[@<][a-z]+\d{4}\b|\"[a-z]+\d[a-z]*_\w+\"|figures\.fig\d\w*"
# Only these numbers may stand in a formula: exponents, indices, the identity.
FORMULA = re.compile(r"\$[^$]*\$")
IN_FORMULA = {"0", "1", "2"}
WORDS = (
    r"two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|\w+teen|\w+ty-\w+|twenty|thirty"
    r"|forty|fifty|sixty|hundred|thousand|million|billion|twice|thrice|half|quarter|tenth|percent"
)
# A definition, and the unit of numbers that are looked up.
ALLOWED_WORDS = (
    *("half the width", "more than half", "at most half"),
    *("other than zero", "to zero", "above zero", "weights of one"),
)


def typed_numbers(text):
    """Return the numbers of a text that are typed by hand."""
    found = []
    for formula in FORMULA.findall(text):
        found += set(re.findall(r"\d+(?:\.\d+)?", formula)) - IN_FORMULA
    text = FORMULA.sub(" ", text)
    for name in (*NAMES, *ALLOWED_WORDS):
        text = text.replace(name, " ")
    for pattern in (PLACES, CLAIM, CITED):
        text = re.sub(pattern, " ", text)
    found += re.findall(r"\d[\d.,]*", text)
    return found + re.findall(rf"\b(?:{WORDS})s?\b", text, re.IGNORECASE)


def prose(path):
    """Return the text of the template without comments and Typst's track sizes."""
    text = re.sub(r"(?<!:)//.*", "", path.read_text("utf-8"))
    return re.sub(r"\b1fr\b", " ", text)


@pytest.mark.parametrize(
    "text",
    [
        "17 of 33 claims reproduce",
        "a ratio of .75",
        "$lambda = 0.3$",
        "three seeds",
        "twice as fast",
        "90 % of it",
        "C is near 2,170",
    ],
)
def test_a_typed_number_is_found(text):
    assert typed_numbers(text)


def sentences_of_the_module():
    tree = ast.parse((PACKAGE / "article.py").read_text("utf-8"))
    documented = [
        ast.get_docstring(node, clean=False)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.FunctionDef)
    ]
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]
    # Without documentation, and without keys and formats of numbers, which have no space.
    return [text for text in texts if " " in str(text) and text not in documented]


TEXTS = {
    "template": [prose(TEMPLATE)],
    "remarks": [text for own in REMARKS.values() for text in own.values()],
    "module": sentences_of_the_module(),
}


@pytest.mark.parametrize(("source", "fewest"), [("template", 1), ("remarks", 5), ("module", 40)])
def test_no_number_is_typed(source, fewest):
    assert len(TEXTS[source]) >= fewest
    assert [text for text in TEXTS[source] if typed_numbers(text)] == []


def test_the_style_has_lengths_only():
    """Every number of the look has a unit, or is an argument of a colour or a place in a list."""
    text = re.sub(r"//.*", "", (SOURCE / "style.typ").read_text("utf-8"))
    text = re.sub(r"rgb\(\"#\w+\"\)|\"1(\.1)?\"|level: \d|- 1\b|calc\.min\(1,", " ", text)
    text = re.sub(r"x == 0|x <= 1", " ", text)
    text = re.sub(r"\.len\(\) > 0|first\(\) > 1|-?\d+(\.\d+)?(pt|cm|em|fr|%|deg)", " ", text)
    text = re.sub(r"share \* 100", " ", text)
    assert re.findall(r"\b\d+\b", text) == []


# Sentences by outcome


def verdicts(**outcomes):
    return pd.Series([value.replace("_", " ") for value in outcomes.values()], index=[*outcomes])


def test_the_result_in_one_sentence():
    found = verdicts(R1="reproduced", R2="not_reproduced", R3="inconclusive", L1="not_run")
    one = "1 of the paper's 4 claims reproduces, 1 does not, 1 is inconclusive, 1 was not run."
    assert reading.in_one_sentence(found) == one
    two = verdicts(R1="not_reproduced", R2="not_reproduced", R3="inconclusive", R4="inconclusive")
    assert (
        reading.in_one_sentence(two)
        == "0 of the paper's 4 claims reproduce, 2 do not, 2 are inconclusive."
    )


def test_our_own_questions_are_not_counted_with_the_paper():
    found = verdicts(R1="reproduced", R2="reproduced", C1="reproduced", C2="not_run")
    assert reading.in_one_sentence(found) == "2 of the paper's 2 claims reproduce."


def test_only_outcomes_that_a_claim_has_get_a_column():
    (row,) = article.by_subject(verdicts(R1="reproduced", R2="reproduced"))
    assert row["numbers"] == ["2", "2", "0"]
    (row,) = article.by_subject(verdicts(R1="reproduced", R2="not_run"))
    assert row["numbers"] == ["2", "1", "0", "1"]


def test_subjects_count_their_own_claims():
    found = verdicts(S1="reproduced", R1="reproduced", R2="not_reproduced", R10="reproduced")
    assert [row["numbers"][:3] for row in article.by_subject(found)] == [
        ["1"] * 2 + ["0"],
        ["3", "2", "1"],
    ]
    assert (
        article.subjects_in_words(found)
        == "Claims that reproduce: 1 of 1 on scalability and 2 of 3 on regret."
    )


def gains(dataset="lastfm", **by_gain):
    """Gains of G-EG and G-TS; an entry is their differences, each with an interval of 0.01."""
    rows = [
        (dataset, policy, "tuned", name, *GAINS[name], value, value - 0.01, value + 0.01, 10)
        for name, values in ((key.replace("_", " "), value) for key, value in by_gain.items())
        for policy, value in zip(("G-EG", "G-TS"), values, strict=True)
    ]
    return pd.DataFrame(rows, columns=GAIN_COLUMNS)


HELPS = {"graph": (0.2, 0.1), "pooling": (0.15, 0.08), "friendship": (0.05, 0.02)}
LOWERS = "On Last.fm the graph lowers the regret of {} by {} % of a random policy's.".format
BOTH_LOWER = LOWERS("G-EG and G-TS", "10.0 to 20.0")
SPLIT = "Pooling of any users is {} % of this gain, friendship {} %.".format
BEYOND = "Beyond a common mean without a graph, the graph gains {} %.".format
GAINED = {
    "pooling and friendship": (HELPS, [BOTH_LOWER, SPLIT("75 to 80", "20 to 25")]),
    "pooling is told of the policies that gain": (
        {"graph": (0.2, -0.03), "pooling": (0.15, 0.0), "friendship": (0.05, -0.03)},
        [
            *(LOWERS("G-EG", "20.0"), SPLIT(75, 25)),
            "On Last.fm the graph raises the regret of G-TS by 3.0 % of a random policy's.",
        ],
    ),
    "permuted users gain nothing": (
        {"graph": (0.2, 0.1), "pooling": (0.004, -0.03), "friendship": (0.196, 0.13)},
        [BOTH_LOWER, "Permuted users gain nothing: the whole gain is friendship."],
    ),
    "never minus zero": (
        {"graph": (0.2, 0.1), "graph_against_mean": (-0.0004, 0.0)},
        [BOTH_LOWER, BEYOND("0.0")],
    ),
    "against a common mean": (
        {"graph": (0.2, 0.1), "graph_against_mean": (-0.02, 0.01)},
        [BOTH_LOWER, BEYOND("−2.0 to 1.0")],
    ),
}


@pytest.mark.parametrize("case", GAINED)
def test_what_a_graph_gains_is_told(case):
    found, sentences = GAINED[case]
    table = gains(**found)
    assert article.gain_in_words(table, "lastfm") == sentences
    assert article.gain_in_words(table, "delicious") == []


def test_a_policy_without_all_controls_is_left_out_of_what_they_say():
    table = gains(**HELPS)
    part = table[(table["policy"] == "G-EG") | (table["gain"] == "graph")]
    assert article.gain_in_words(part, "lastfm") == [BOTH_LOWER, SPLIT(75, 25)]


def test_a_graph_that_hurts_or_makes_no_difference():
    table = gains("delicious", graph=(-0.02, 0.004), graph_against_mean=(-0.03, 0.001))
    assert article.gain_in_words(table, "delicious") == [
        "On Delicious the graph makes no clear difference for G-TS.",
        "On Delicious the graph raises the regret of G-EG by 2.0 % of a random policy's.",
    ]


def test_friends_are_compared_with_permuted_users_and_with_a_common_mean():
    table = gains(friendship=(0.05, 0.02), graph_against_mean=(-0.03, 0.001))
    assert article.friends_in_words(table, "lastfm") == [
        "Given friends do better than permuted users for G-EG and G-TS.",
        "The graph and a common mean without any graph are not told apart for G-TS.",
        "The graph does worse than a common mean without any graph for G-EG.",
    ]


def shares(**by_claim):
    rows = [(name, 200, held, held / 200, 0, 0.0) for name, held in by_claim.items()]
    table = pd.DataFrame(rows, columns=SHARE_COLUMNS)
    return table.assign(claim=table["claim"].str.replace("_", " "))


def test_the_multiverse_tells_robust_claims_from_others():
    table = shares(R1=200, R2=101, R3=100, all_R=0)
    apart, together = article.multiverse_in_words(table)
    assert apart == [
        "By the point estimate R1 and R2 hold in more than half of the specifications.",
        "By the point estimate R3 holds in at most half of the specifications.",
    ]
    assert together == [
        "All of R1 to R3 hold together, by the point estimate, "
        "in none of 200 combinations of open choices.",
    ]


def test_choices_of_tuning_are_counted():
    rows = [
        ("lastfm", "G-TS", 0.1, None, None, 0.0, 0.8, True, False, "lam", True),
        ("lastfm", "G-EG", 0.01, None, None, None, 0.8, True, True, "", False),
        ("lastfm", "G-EG", 1.0, None, None, None, 0.9, False, False, "", False),
    ]
    flat, edge, greedy = article.tuning_in_words(pd.DataFrame(rows, columns=TUNING_COLUMNS))
    assert flat.startswith("1 of 2 choices is the paper's")
    assert edge.startswith("1 of 2 choices lies at an edge")
    assert greedy.startswith("1 of 2 choices sets exploration by the posterior to zero")
    assert article.always_greedy(pd.DataFrame(rows, columns=TUNING_COLUMNS)) == ["G-TS"]
    own = pd.DataFrame(rows, columns=TUNING_COLUMNS)[1:].assign(flat=False)
    assert article.tuning_in_words(own)[0].startswith("No choice is the paper's")


def test_the_bound_on_the_trace_is_told_for_each_reading():
    rows = [
        ("ring", "L", 1.0, 0.6, 0.4),
        ("ring", "L_G", float("inf"), 0.6, float("inf")),
        ("ring", "unnormalised", 0.5, 0.6, -0.1),
    ]
    table = pd.DataFrame(rows, columns=["graph", "reading", "bound", "trace_over_n", "slack"])
    holds, infinite, false = article.trace_in_words(table)
    assert holds.endswith("it holds on 1 of 1 graphs.")
    assert infinite.endswith("it is infinite on 1 of them.")
    assert false.endswith("on the graph “ring” it is 0.500, and the left side is 0.600.")
    kinder = table.assign(slack=table["slack"].abs())
    assert article.trace_in_words(kinder)[-1].endswith("holds on all of them.")


def test_the_schedule_explores_a_whole_run_if_its_constant_is_large():
    """C² = 48 · 100 / 0.01."""
    long = article.schedule_in_words(100.0, 0.01, 50_000)
    assert "before epoch 480,000 has" in long
    assert long.endswith("the whole run explores.")
    assert "first 480,000 epochs have no" in article.schedule_in_words(100.0, 0.01, 500_000)


def test_the_version_before_is_named_if_there_was_one():
    names = dict.fromkeys(CLAIMS, "reproduced")
    text = article.rules_in_words(CLAIMS, names, Status(2, False))
    assert "had judged the paper's claims: 17 reproduced, 13 not reproduced, 3 inconc" in text
    ours = sum(name[0] == reading.OURS for name in CLAIMS)
    assert text.endswith(f"Version 2 judges them on new seeds: {len(CLAIMS) - ours} reproduced.")
    first = article.rules_in_words({}, {}, Status(1, False))
    assert first.startswith("The claims are judged by version 1 of the rules")


# On published results


@pytest.fixture(scope="module")
def reference():
    return article.facts(RESULTS, REMARKS)


def test_readme_and_article_have_the_same_result(reference):
    assert reference["result"] in (ROOT / "README.md").read_text("utf-8")


def test_every_remark_is_on_a_claim_and_an_outcome(reference):
    assert {*REMARKS} <= {claim["name"] for claim in reference["claims"]}
    assert {outcome for own in REMARKS.values() for outcome in own} <= {*reading.OUTCOMES}
    for claim in reference["claims"]:
        assert claim["remark"] == REMARKS.get(claim["name"], {}).get(claim["verdict"], "")


def test_every_figure_that_the_template_shows_is_looked_up():
    named = set(re.findall(r"fig[1-3A-Z][a-z]?_\w+", TEMPLATE.read_text("utf-8")))
    assert named == {*article.FIGURES}


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """Results with a verdict and all tables, as a run under version 2 of the rules has them."""
    folder = tmp_path_factory.mktemp("published")
    publishable_run(folder)
    results = folder / "results" / "paper"
    config = yaml.safe_load((ROOT / "config.yaml").read_text("utf-8"))
    seeds = {"fresh": {"verdict": 200, "learning": 300}, "verdict": 4, "learning": 2}
    config["seeds"] |= seeds
    config["verdict"] = {"claims": ["R", "T2"]}
    files.write_json(results / "config.json", config)
    tables = {
        "data": pd.DataFrame(
            [
                ("lastfm", "users", None, 1892.0),
                ("lastfm", "likes in common, friends", None, 0.031),
            ],
            columns=["dataset", "quantity", "at", "value"],
        ),
        "controls": pd.DataFrame(
            [
                ("lastfm", "G-EG", "given", "tuned", 0.1, 0.7, 0.6, 0.8, 10),
                ("lastfm", "EG-IND", "", "tuned", 1.0, 0.8, 0.7, 0.9, 10),
                ("lastfm", "L-EG", "given", "tuned", 1.0, 0.9, 0.8, 1.0, 3),
                ("lastfm", "L-EG", "given", "own-edges", 1.0, 0.75, 0.7, 0.8, 3),
                ("lastfm", "L-EG", "oracle", "given-later", 1.0, 0.5, 0.4, 0.6, 3),
            ],
            columns=COLUMNS,
        ),
        "gains": gains(**HELPS),
        "multiverse_claims": shares(R1=200, R6=20, all_R=0),
        "multiverse_effects": pd.DataFrame(
            [("R6", "tags", "set: 0.1", 0.4)], columns=EFFECT_COLUMNS
        ),
    }
    for name, table in tables.items():
        table.to_csv(results / article.TABLES[name], index=False)
    (results / "figures").mkdir()
    shutil.copy(RESULTS / "figures" / "fig1b_d.png", results / "figures" / "figC_controls.png")
    (results / article.TABLES["sensitivity"]).unlink()
    return results


def test_parts_are_there_if_their_tables_are_and_named_if_not(published):
    found = article.facts(published)
    assert found["sensitivity"]["missing"].endswith("was not run for these results.")
    assert found["data"]["rows"][0] == ["users", "1,892"]
    assert found["controls"]["rows"][0] == [
        "graph\n(none → given)",
        *("+0.200\u00a0±\u00a00.010", "+0.100\u00a0±\u00a00.010"),
    ]
    assert found["multiverse"]["sentences"][0].startswith("By the point estimate R1 holds in")
    assert found["setup"]["verdict_seeds"] == "200 to 203"
    assert found["controls"]["learned"]["head"] == ["", "L-EG\nLast.fm"]
    assert found["controls"]["learned"]["rows"] == [
        ["as in the paper", "0.900"],
        ["with its own edges of weight 1", "0.750"],
        ["with an oracle graph in its place", "0.500"],
        ["without a graph (EG-IND)", "0.800"],
    ]
    # Their intervals overlap.
    assert found["controls"]["learned"]["sentences"] == []
    (r6,) = [claim for claim in found["claims"] if claim["name"] == "R6"]
    assert r6["found"].startswith(
        "LINUCB-IND against LINUCB-SIN (final ratio, Delicious): 0.200 lower"
    )
    assert r6["multiverse"][0].startswith("Multiverse: holds by the point estimate in 20 of 200")
    assert "tags of an item (40\u00a0%" in r6["multiverse"][1]


def test_edges_that_help_where_the_estimate_harms_are_told_apart():
    rows = [
        ("lastfm", "EG-IND", "", "tuned", 1.0, 0.8, 0.79, 0.81, 10),
        ("lastfm", "L-EG", "given", "tuned", 1.0, 0.9, 0.89, 0.91, 3),
        ("lastfm", "L-EG", "given", "own-edges", 1.0, 0.7, 0.69, 0.71, 3),
    ]
    table = pd.DataFrame(rows, columns=COLUMNS)
    (said,) = article.learned_graphs(table)["sentences"]
    assert said.startswith("On Last.fm L-EG does worse than without a graph, but its own edges")
    table.loc[2, "ratio_high"] = 0.795
    assert article.learned_graphs(table)["sentences"] == []
    assert article.learned_graphs(table[:1]) is None


def test_results_without_a_verdict_are_refused(published, tmp_path):
    files.write_bytes(tmp_path / "config.json", (published / "config.json").read_bytes())
    with pytest.raises(DataError, match=r"verdict_runs\.csv is missing"):
        article.facts(tmp_path)


@pytest.mark.slow
def test_an_error_of_the_template_is_named(published, tmp_path):
    shutil.copytree(SOURCE, tmp_path / "article")
    (tmp_path / "article" / "article.typ").write_text("#unknown", "utf-8")
    with pytest.raises(ConfigError, match=r"article\.typ can't be typeset: .*unknown"):
        article.typeset(tmp_path / "article" / "article.typ", published)


@pytest.mark.slow
def test_results_without_some_tables_are_typeset(published):
    assert article.typeset(TEMPLATE, published).startswith(b"%PDF")


@pytest.mark.slow
def test_the_workflow_makes_the_article_from_published_files_only():
    command = [sys.executable, "-m", "snakemake", "--dry-run", "--forceall", "--nolock", "article"]
    done = subprocess.run(
        [*command, "--config", "run=unknown"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert re.findall(r"^(?:local)?rule (\w+):", done.stdout, re.M) == ["article"]


@pytest.mark.slow
def test_the_published_article_is_that_of_the_published_results():
    """After new results or another template: `snakemake article`."""
    found = article.typeset(TEMPLATE, RESULTS)
    same = found == (RESULTS / "article.pdf").read_bytes()
    assert same, "snakemake article"  # to show where two PDFs differ would take minutes
    assert 8 <= len(re.findall(rb"/Type\s*/Page\b", found)) <= 12
