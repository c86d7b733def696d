"""Which results count as the same, and what the message names where they differ."""

import json

import numpy as np
import pytest
from matplotlib import image

from horde import cli
from horde.errors import DataError
from horde.results import checksums as reproduced

POINTS = "figure,policy,n,rounds,seconds_per_round,fits\n1a,G-EG,16,{},{},{}\n"


@pytest.fixture
def output(tmp_path):
    """Results and figures of a run, as the workflow lays them out."""
    texts = {
        "results/r/verdict.csv": "claim,holds\nC1,yes\n",
        "results/r/summary/regret.csv": "policy,regret\nG-EG,0.5\n",
        "results/r/summary/fresh/lastfm.csv": "policy,regret\nG-EG,0.25\n",
        "results/r/timing/scalability.csv": POINTS.format(9, 0.1, True),
        "results/other/summary/regret.csv": "another run\n",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    (tmp_path / "figures/r").mkdir(parents=True)
    for name in ("fig1a_n", "fig2a"):
        picture(tmp_path / f"figures/r/{name}.png")
    return tmp_path


def picture(path, shade=0, comment=""):
    pixels = np.zeros((4, 4, 3), dtype=np.uint8)
    pixels[1, 2] = shade
    image.imsave(path, pixels, metadata={"Comment": comment})


def changed(output, change):
    before = reproduced.checksums(output, "r")
    change()
    return reproduced.differences(before, reproduced.checksums(output, "r"))


def test_everything_but_measured_figures_and_other_runs_is_covered(output):
    assert list(reproduced.checksums(output, "r")) == [
        "figures/r/fig2a.png",
        "results/r/summary/fresh/lastfm.csv",
        "results/r/summary/regret.csv",
        "results/r/timing/scalability.csv",
        "results/r/verdict.csv",
    ]


@pytest.mark.parametrize("name", ["verdict.csv", "summary/regret.csv", "summary/fresh/lastfm.csv"])
def test_a_digit_of_a_table_is_a_difference(output, name):
    path = output / "results/r" / name
    lines = changed(output, lambda: path.write_text(path.read_text("utf-8") + "x,1\n", "utf-8"))
    assert lines == [f"results/r/{name} differs"]


def test_of_what_was_measured_only_rows_and_fits_count(output):
    path = output / "results/r/timing/scalability.csv"
    assert changed(output, lambda: path.write_text(POINTS.format(8, 0.2, True), "utf-8")) == []
    lines = changed(output, lambda: path.write_text(POINTS.format(8, 0.2, False), "utf-8"))
    assert lines == ["results/r/timing/scalability.csv differs"]
    assert changed(output, lambda: path.write_text(POINTS.partition("\n")[0], "utf-8")) == lines


def test_pixels_count_and_what_a_file_says_of_itself_does_not(output):
    path = output / "figures/r/fig2a.png"
    assert changed(output, lambda: picture(path, comment="made at noon")) == []
    assert changed(output, lambda: picture(path, shade=1)) == ["figures/r/fig2a.png differs"]
    assert changed(output, lambda: picture(output / "figures/r/fig1a_n.png", shade=1)) == []


def test_what_is_missing_or_new_is_named(output):
    picture(output / "figures/r/fig3a.png")
    lines = changed(output, (output / "figures/r/fig3a.png").unlink)
    assert lines == ["figures/r/fig3a.png is missing"]
    lines = changed(output, lambda: picture(output / "figures/r/fig3b.png"))
    assert lines == ["figures/r/fig3b.png is new"]


def test_the_command_keeps_and_compares(output, capsys):
    kept = output / "kept.json"
    arguments = ["verify", str(output), "--run", "r", "--kept", str(kept)]
    assert cli.main(arguments) == 3
    assert "kept.json" in capsys.readouterr().err
    assert cli.main([*arguments, "--update"]) == 0
    assert len(json.loads(kept.read_text("utf-8"))) == 5
    assert cli.main(arguments) == 0
    assert "5 tables and figures are the same" in capsys.readouterr().out
    picture(output / "figures/r/fig2a.png", shade=1)
    assert cli.main(arguments) == 3
    message = capsys.readouterr().err
    assert "figures/r/fig2a.png differs" in message
    assert "make verify-update" in message


def test_nothing_to_compare_and_damaged_pictures_are_named(output, tmp_path):
    with pytest.raises(DataError, match="no results of the run 'paper'"):
        reproduced.checksums(output, "paper")
    (output / "figures/r/fig2a.png").write_bytes(b"no picture")
    with pytest.raises(DataError, match=r"fig2a\.png is damaged"):
        reproduced.checksums(output, "r")
