"""From run files to regret.csv: the numbers, the order, the refusals, the bytes."""

import numpy as np
import pandas as pd
import pytest

from horde import files
from horde.errors import DataError
from horde.experiments import choice
from horde.results import runs, tables
from horde.simulation.loop import Curve

ROUNDS = np.array([10, 20, 50])


def write_run(root, dataset, policy, seed, ratio, variant="tuned"):
    folder = root / "runs" / dataset / policy / variant
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{seed}.npz"
    random_regret = 0.9 * ROUNDS
    runs.save(path, {seed: Curve(ROUNDS, ratio * random_regret, random_regret)}, {})
    return path


@pytest.fixture
def paths(tmp_path):
    ratios = {0: 0.5, 1: 0.7, 2: 0.9}
    return [
        write_run(tmp_path, dataset, policy, seed, ratio + extra)
        for dataset in ("lastfm", "delicious")
        for policy, extra in (("LINUCB-IND", 0.05), ("CLUB", 0.0))
        for seed, ratio in ratios.items()
    ]


def test_ratio_is_the_mean_of_ratios_with_its_t_interval(paths):
    table = tables.regret_table(tables.read_runs(paths), seeds=[0, 1, 2])
    assert list(table.columns) == tables.REGRET_COLUMNS
    club = table[(table.dataset == "lastfm") & (table.policy == "CLUB")]
    half = 4.30265273 * 0.2 / np.sqrt(3)
    np.testing.assert_array_equal(club["round"], ROUNDS)
    np.testing.assert_allclose(club.ratio_mean, 0.7)
    np.testing.assert_allclose(club.ratio_low, 0.7 - half)
    np.testing.assert_allclose(club.ratio_high, 0.7 + half)
    assert (club.seeds == 3).all()


def test_mean_of_ratios_is_not_the_ratio_of_means():
    named = {"dataset": "a", "policy": "b", "variant": "tuned", "round": 5, "seed": [0, 1]}
    runs = pd.DataFrame(named | {"regret": [1.0, 6.0], "random_regret": [2.0, 4.0]})
    table = tables.regret_table(runs, [0, 1])
    assert table.ratio_mean.tolist() == pytest.approx([(0.5 + 1.5) / 2])


def test_order_of_seeds_changes_no_byte(paths, tmp_path):
    for name, order in (("a", paths), ("b", paths[2::-1] + paths[:2:-1][::-1])):
        table = tables.regret_table(tables.read_runs(order), [0, 1, 2])
        tables.write_csv(table, tmp_path / f"{name}.csv")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_one_seed_leaves_the_interval_empty(paths, tmp_path):
    table = tables.regret_table(tables.read_runs(paths[:1]), [0])
    tables.write_csv(table, tmp_path / "regret.csv")
    assert (tmp_path / "regret.csv").read_text().splitlines() == [
        "dataset,policy,variant,round,ratio_mean,ratio_low,ratio_high,seeds",
        "lastfm,LINUCB-IND,tuned,10,0.55,,,1",
        "lastfm,LINUCB-IND,tuned,20,0.55,,,1",
        "lastfm,LINUCB-IND,tuned,50,0.55,,,1",
    ]


CLUB_1 = [12, 13, 14]  # the rows of CLUB's seed 1 on Last.fm


@pytest.mark.parametrize(
    ("change", "seeds", "message"),
    [
        (lambda runs: runs.drop(index=CLUB_1), 3, r"lastfm/CLUB/tuned: seeds \[1\] of \[0, 1, 2\]"),
        (lambda runs: runs, 2, r"seeds \[2\] were not asked for"),
        (lambda runs: runs.drop(index=0), 3, "different checkpoints"),
        (lambda runs: runs.replace({"random_regret": {9.0: 0.0}}), 3, "no regret"),
    ],
)
def test_runs_that_have_no_average_are_refused(paths, change, seeds, message):
    with pytest.raises(DataError, match=message):
        tables.regret_table(change(tables.read_runs(paths)), range(seeds))


def test_no_runs_are_refused():
    with pytest.raises(DataError, match="no finished runs"):
        tables.read_runs([])


def test_final_table_holds_the_last_round_of_every_group_in_the_order_of_the_runs(paths):
    final = tables.final_table(tables.regret_table(tables.read_runs(paths), [0, 1, 2]))
    assert final.dataset.tolist() == ["lastfm", "lastfm", "delicious", "delicious"]
    assert final.policy.tolist() == ["LINUCB-IND", "CLUB"] * 2
    assert (final["round"] == 50).all()
    np.testing.assert_allclose(final.ratio_mean, [0.75, 0.7, 0.75, 0.7])


def test_tables_survive_the_file_and_bad_files_are_refused(paths, tmp_path):
    table = tables.regret_table(tables.read_runs(paths), [0, 1, 2])
    path = tmp_path / "new folder" / "regret.csv"
    tables.write_csv(table, path)
    assert list(path.parent.iterdir()) == [path]
    back = tables.read_csv(path, tables.REGRET_COLUMNS)
    pd.testing.assert_frame_equal(back, table, rtol=1e-5, check_dtype=False)
    with pytest.raises(DataError, match="lacks the columns n, d"):
        tables.read_csv(path, ["round", "n", "d"])
    with pytest.raises(DataError, match="missing"):
        tables.read_csv(tmp_path / "none.csv")


def test_tuning_table_lists_every_point_and_marks_the_choice(tmp_path):
    club, greedy = tmp_path / "lastfm" / "CLUB.json", tmp_path / "lastfm" / "GOBLIN.json"
    points = [({"lam": lam, "alpha2": 0.5}, [ratio, 0.9]) for lam, ratio in ((0.1, 0.8), (1, 0.7))]
    choice.write(club, choice.choose(points))
    choice.write(greedy, choice.choose([({"lam": 0.1, "alpha": 0.0}, [0.6, 0.4])]))
    table = tables.tuning_table([club, greedy])
    assert list(table.columns) == [*tables.TUNING_COLUMNS, "stream0", "stream1"]
    columns = ["policy", "lam", "ratio", "chosen", "flat", "edge", "greedy", "stream0"]
    assert table[columns].to_numpy().tolist() == [
        ["CLUB", 0.1, pytest.approx(0.85), False, False, "", False, 0.8],
        ["CLUB", 1.0, pytest.approx(0.8), True, False, "lam", False, 0.7],
        ["GOBLIN", 0.1, 0.5, True, False, "", True, 0.6],
    ]
    assert table["scale"].isna().all()
    files.write_json(club, {"scores": [1]})
    with pytest.raises(DataError, match=r"CLUB\.json holds no tuning"):
        tables.tuning_table([club])
