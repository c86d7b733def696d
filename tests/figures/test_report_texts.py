"""The texts of Snakemake's report: sound markup, filled in as Snakemake fills them in."""

import ast
import html
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from docutils.core import publish_parts
from jinja2 import Environment
from snakemake.report import Category

from horde.experiments import config as configuration

ROOT = Path(__file__).parents[2]
TEXTS = ROOT / "workflow" / "report"
PAPER = configuration.load(ROOT / "config.yaml")
DEMO = configuration.load(ROOT / "config.yaml", ROOT / "workflow" / "config" / "demo.yaml")
GENERATED = "The data are generated, not the paper's"


def rendered(name, config, tmp_path, categories=()):
    """Render a text; whatever docutils would warn of in the report is an error."""
    field = tmp_path / "caption.rst"
    field.write_text(":seeds: 2\n", encoding="utf-8")
    snakemake = SimpleNamespace(config=config, output=SimpleNamespace(text=field))
    template = Environment(trim_blocks=True, lstrip_blocks=True).from_string(
        (TEXTS / name).read_text(encoding="utf-8")
    )
    result = SimpleNamespace(path=Path("figures/it's <a>.png"), labels={"figure": "A & <b>"})
    listed = {Category(name=name): {Category(name=None): [result]} for name in categories}
    text = template.render(snakemake=snakemake, categories=listed)
    strict = {"halt_level": 2, "report_level": 2}
    return html.unescape(publish_parts(text, writer="html", settings_overrides=strict)["body"])


@pytest.mark.parametrize("name", sorted(path.name for path in TEXTS.glob("*.rst")))
@pytest.mark.parametrize("config", [PAPER, DEMO], ids=["paper", "demo"])
def test_each_text_is_sound(name, config, tmp_path):
    assert rendered(name, config, tmp_path, ["1. Verdict"]).strip()


def test_the_first_page_has_the_whole_configuration_as_it_is(tmp_path):
    label = r"我的音乐 $a$ \ % {b} <i>"
    config = PAPER | {"datasets": {"mine": {"kind": "tables", "label": label}}}
    text = rendered("workflow.rst", config, tmp_path)
    shown = re.search(r"<pre[^>]*>(.*)</pre>", text, re.DOTALL)[1]
    assert ast.literal_eval(shown.strip()) == config
    assert repr(label) in shown


def test_the_first_page_opens_each_figure(tmp_path):
    text = rendered("workflow.rst", PAPER, tmp_path, ["2. Figure 1", "1. Verdict"])
    assert text.index("1. Verdict") < text.index("2. Figure 1")
    assert text.count("A & <b></a>") == 2  # unescaped by this module's helper
    assert r"const path = \"figures/it\u0027s \u003ca\u003e.png\";".replace('\\"', '"') in text


@pytest.mark.parametrize("name", ["workflow.rst", "verdict.rst"])
def test_generated_data_are_called_so_and_the_papers_not(name, tmp_path):
    assert GENERATED in rendered(name, DEMO, tmp_path)
    assert GENERATED not in rendered(name, PAPER, tmp_path)


def test_a_report_without_the_verdict_does_not_speak_of_it(tmp_path):
    figure, verdict = "3. Figure 2: regret", "1. Verdict"
    assert "The verdict is on" not in rendered("workflow.rst", PAPER, tmp_path, [figure])
    assert "The verdict is on" in rendered("workflow.rst", PAPER, tmp_path, [figure, verdict])


@pytest.mark.parametrize("name", ["regret.rst", "learning.rst", "learned_graph.rst"])
def test_captions_of_averages_name_their_seeds(name, tmp_path):
    text = " ".join(rendered(name, DEMO, tmp_path).split())
    assert re.search(r"the seeds 0, 1[,.]", text)
