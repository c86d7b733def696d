"""The quick run: Figure 2 on the real data with one seed, and a preview of the claims on regret."""

import pandas as pd
import pytest
from browser import browser
from workflow_tree import TINY

QUICK = ("workflow/config/quick.yaml",)


def test_it_draws_figure_2_from_seed_0_and_previews_but_judges_nothing(tree):
    outputs = [
        path
        for _, made in tree.jobs(scale=QUICK, targets=())
        for path in ", ".join(made).split(", ")
    ]
    runs = [path for path in outputs if path.endswith(".npz") and "/runs/" in path]
    assert {path.rsplit("/", 1)[1] for path in runs} == {"0.npz"}
    assert not any("L-EG" in path or "U-EG" in path for path in runs)
    assert {
        "figures/quick/fig2a_lastfm_regret.png",
        "figures/quick/fig2b_delicious_regret.png",
        "figures/quick/regret.html",
        "results/quick/summary/preview.csv",
        "results/quick/preview.html",
    } <= {*outputs}
    assert not any("verdict" in path or "/scalability" in path for path in outputs)


@pytest.mark.slow
def test_a_preview_reads_the_first_seed_of_the_figures(tree):
    tree.run(scale=tree.scale("targets: [preview]", below=TINY), targets=())
    table = pd.read_csv(tree.path / "results/tiny/summary/preview.csv")
    assert table["claim"].tolist() == ["R6"]
    assert table["status"].tolist() == ["preview, no verdict"]
    assert table["outcome"].item() in ("meets the threshold", "misses the threshold")
    page = (tree.path / "results/tiny/preview.html").read_text("utf-8")
    assert "seed 0, 200 rounds" in page
    assert "Generated data" in page
    assert not (tree.path / "results/tiny/verdict.csv").exists()


OWN = """
targets: [data]
datasets:
  mine: {kind: generated, archive: lastfm, drop_users_from: null, label: "My {music}: <b> it's"}
"""


@pytest.mark.slow
@pytest.mark.parametrize("width", [1200, 390])
def test_a_click_on_the_first_page_of_the_report_opens_the_picture_of_own_data(
    tree, tmp_path, width
):
    scale = tree.scale(OWN, below=TINY)
    tree.run(scale=scale, targets=())
    style = ("--report-stylesheet", "workflow/report/report.css")
    tree.run("--report", "report.html", *style, scale=scale, targets=())
    with browser(tmp_path) as page:
        page.open(tree.path / "report.html", width)
        link = "[...document.querySelectorAll('.prose a')].find((a) => /^My/.test(a.textContent))"
        page.wait_for(f"{link} !== undefined")
        assert page.run(f"{link}.textContent") == "My (music): <b> it's"
        page.run(f"{link}.scrollIntoView({{block: 'center'}})")
        shown = "document.querySelector('#app nav ~ div img')?.naturalWidth > 1000"
        page.click_until(shown, f"{link}?.getBoundingClientRect()")
        assert page.run("document.documentElement.scrollWidth") <= width
