from dataclasses import replace

import numpy as np
import pytest
from own_process import printed
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer

from horde.data import dataset as datasets
from horde.data import features, hetrec, tables
from horde.errors import ConfigError, DataError


def some_tables(seed=0, users=15, items=80, tags=60):
    """Return random tables; item 0 has no tag, user 1 likes everything, user ``users`` nothing."""
    rng = np.random.default_rng(seed)
    likes = rng.integers(0, [users, items], size=(users * 8, 2))
    likes = np.concatenate([likes, [[1, item] for item in range(items)]])
    item_tags = rng.integers([1, 0], [items, tags], size=(items * 5, 2))
    friends = np.array([[0, 1], [1, 2], [2, users]])
    names = {t: f"word{t % 7}_Tag{t}" for t in range(tags)}
    return counted_tables(likes, item_tags, friends, names)


def counted_tables(likes, item_tags, friends, names):
    """Return tables as if one user had given all tags."""
    return hetrec.Consumed(likes, np.insert(item_tags, 0, 1, axis=1), friends, names).tables()


def tables_of(likes, item_tags, names=None):
    """Return tables without friendships."""
    return counted_tables(np.array(likes), item_tags, np.zeros((0, 2), dtype=int), names or {})


def prepared(given_tables=None, **params):
    return features.prepare(given_tables or some_tables(), "test", {"kind": "test"}, **params)


def test_tf_idf_is_as_written():
    counts = features.tag_counts(some_tables(), counted=True, split=False).toarray()
    with_tag = (counts > 0).sum(axis=0)
    weighted = counts * (np.log((1 + len(counts)) / (1 + with_tag)) + 1)
    norms = np.linalg.norm(weighted, axis=1, keepdims=True)
    expected = np.divide(weighted, norms, out=np.zeros_like(weighted), where=norms > 0)
    found = features.tf_idf(sparse.csr_matrix(counts)).toarray()
    np.testing.assert_allclose(found, expected, atol=1e-11)


def random_matrix(rows, columns, seed=0):
    return sparse.random(rows, columns, density=0.2, format="csr", rng=seed)


# The smaller sides take the dense path, the larger ones ARPACK.
@pytest.mark.parametrize("shape", [(20, 30), (300, 40), (90, 200)])
@pytest.mark.parametrize("centred", [False, True])
def test_reduction_keeps_the_leading_directions(shape, centred):
    matrix = random_matrix(*shape)
    found, explained = features.reduce(matrix, 5, centred=centred)
    dense = matrix.toarray()
    u, s, _ = np.linalg.svd(dense - centred * dense.mean(axis=0), full_matrices=False)
    np.testing.assert_allclose(np.abs(found), np.abs(u[:, :5] * s[:5]), atol=1e-9)
    np.testing.assert_allclose(explained, s[:5] ** 2 / (s**2).sum())


@pytest.mark.parametrize("centred", [False, True])
def test_more_features_than_directions_are_zero(centred):
    matrix = random_matrix(90, 200)
    low_rank = sparse.csr_matrix(matrix[:, [0, 1, 2] * 50])
    for given_matrix in (low_rank, random_matrix(40, 3)):
        found, explained = features.reduce(given_matrix, 25, centred=centred)
        assert found.shape[1] == 25
        assert found[:, :3].any(axis=0).all()
        assert not found[:, 3:].any()
        assert explained.sum() == pytest.approx(1.0)


def test_a_prepared_dataset():
    given_tables = some_tables()
    dataset, summary = prepared(given_tables, dimension=6)
    assert (dataset.n_users, dataset.n_items, dataset.n_features) == (16, 80, 6)
    liked = [
        [user, item]
        for user in range(16)
        for item in dataset.liked_items[dataset.liked_indptr[user] : dataset.liked_indptr[user + 1]]
    ]
    assert liked == given_tables.likes.tolist()
    np.testing.assert_array_equal(dataset.features, np.round(dataset.features, 6))
    assert not dataset.features[0].any()
    assert summary["items_without_tags"] == 1
    assert summary["users_who_like_nothing"] == 1
    assert summary["liked_per_user"] == {"min": 0, "max": 80}
    assert summary["graph"]["isolated_users"] == 12
    assert 0 < summary["explained_variance"] < 1
    assert dataset.provenance["features"]["dimension"] == 6


PREPARE = """
import sys
from horde.data import tables
from horde.data.features import prepare
prepare(tables.load(*sys.argv[1:3])[0], "test", {})[0].save(sys.argv[3])
"""


def test_the_file_does_not_depend_on_the_linear_algebra(tmp_path):
    saved = tmp_path / "tables.npz", tmp_path / "source.json"
    source = {"kind": "tables", "statement": "made"}
    tables.save(some_tables(users=100, items=500, tags=300), source, *saved)
    files = []
    for changed in (
        {"OPENBLAS_NUM_THREADS": "1"},
        {
            "OPENBLAS_NUM_THREADS": "4",
            "OPENBLAS_CORETYPE": "Prescott",
            "NPY_DISABLE_CPU_FEATURES": "AVX2 FMA3 AVX512F",
        },
    ):
        files.append(tmp_path / f"{len(files)}.npz")
        printed(PREPARE, *saved, files[-1], **changed)
    assert len({path.read_bytes() for path in files}) == 1
    assert datasets.load(files[0]).n_features == 25


def test_scaling():
    norms = {
        scaling: np.linalg.norm(prepared(scaling=scaling)[0].features, axis=1)
        for scaling in ("none", "max", "unit")
    }
    np.testing.assert_allclose(norms["max"], norms["none"] / norms["none"].max(), atol=1e-5)
    np.testing.assert_allclose(norms["unit"][1:], 1.0, atol=1e-5)
    assert norms["unit"][0] == 0


def test_items_that_all_have_the_same_tags_have_no_principal_components():
    likes = np.array([[1, 1], [1, 2]])
    alike = replace(
        tables_of(likes, likes), item_tags=np.array([[0, 0, 1], [1, 0, 1]], dtype=np.int32)
    )
    for scaling in ("none", "max", "unit"):
        dataset, summary = prepared(alike, reduction="pca", scaling=scaling)
        assert not dataset.features.any()
        assert summary["warnings"] == ["all features of all items are 0"]


def test_a_projection_that_is_rounding_noise_is_zero():
    """Only item 0 has a tag that no other item has: two features have no room for it."""
    item_tags = np.array([[0, 0]] + [[i, 1 + i % 2] for i in range(1, 9)])
    alone = tables_of([[1, i] for i in range(9)], item_tags)
    dataset, _ = prepared(alone, dimension=2, scaling="unit")
    assert not dataset.features[0].any()
    np.testing.assert_allclose(np.linalg.norm(dataset.features[1:], axis=1), 1)


def test_untagged_items_can_be_dropped():
    dataset, summary = prepared(untagged="drop")
    assert dataset.n_items == 79
    assert summary["items_without_tags"] == 0
    # User 1 liked all 80.
    assert np.diff(dataset.liked_indptr)[1] == 79


def test_counts_and_sets_differ_by_repeated_tags_only():
    given_tables = some_tables()
    counts = features.tag_counts(given_tables, counted=True, split=False)
    ones = features.tag_counts(given_tables, counted=False, split=False)
    assert counts.max() > 1
    assert ones.max() == 1
    np.testing.assert_array_equal(counts.toarray() > 0, ones.toarray() > 0)


def test_counts_need_counted_tags():
    with pytest.raises(ConfigError, match="counts"):
        prepared(replace(some_tables(), counted=False), tags="counts")


def test_split_tags_are_words_in_lower_case():
    names = {1: "Hip-hop", 2: "trip hop", 3: "!!!"}
    given_tables = tables_of([[1, 1], [1, 2]], np.array([[1, 1], [1, 2], [2, 3]]), names)
    # Words in order: !!!, hip, hop, trip; a tag without letters stays whole.
    counts = features.tag_counts(given_tables, counted=True, split=True)
    assert counts.toarray().tolist() == [[0, 1, 2, 1], [1, 0, 0, 0]]


@pytest.mark.parametrize(
    "wrong",
    [{"tags": "bag"}, {"reduction": "lda"}, {"scaling": "l2"}, {"untagged": "?"}, {"dimension": 0}],
)
def test_unknown_settings_are_refused(wrong):
    with pytest.raises(ConfigError, match=next(iter(wrong))):
        prepared(**wrong)


@pytest.mark.parametrize("untagged", ["keep", "drop"])
def test_data_without_any_tag_are_refused(untagged):
    with pytest.raises(DataError):
        prepared(tables_of([[1, 1]], np.zeros((0, 2), dtype=int)), untagged=untagged)


def test_logarithms_of_counts_are_scikit_learns():
    given_tables = some_tables()
    counts = features.tag_counts(given_tables, counted=True, split=False)
    expected = TfidfTransformer(sublinear_tf=True).fit_transform(counts)
    reduced, _ = features.reduce(sparse.csr_matrix(expected), 5)
    found, _ = prepared(given_tables, tags="log", dimension=5)
    np.testing.assert_allclose(found.features, reduced, atol=1e-6)


def test_own_features_can_be_reduced():
    rng = np.random.default_rng(0)
    own = rng.standard_normal((90, 4)) @ rng.standard_normal((4, 60))
    given_tables = some_tables(items=90)
    described = replace(given_tables, item_tags=given_tables.item_tags[:0], item_features=own)
    kept, _ = prepared(described, dimension=3)
    np.testing.assert_array_equal(kept.features, own)
    reduced, summary = prepared(described, dimension=3, item_features="reduce")
    _, s, right = np.linalg.svd(own, full_matrices=False)
    np.testing.assert_allclose(np.abs(reduced.features), np.abs(own @ right[:3].T), atol=1e-5)
    assert summary["explained_variance"] == pytest.approx(
        (s[:3] ** 2 / (s**2).sum()).sum(), abs=1e-6
    )
    assert reduced.provenance["features"]["dimension"] == 3
    assert "tags" not in reduced.provenance["features"]
    # In another unit, the same digits are kept.
    for unit in (1e-9, 1e9):
        scaled = replace(described, item_features=unit * own)
        other, _ = prepared(scaled, dimension=3, item_features="reduce")
        np.testing.assert_allclose(other.features / unit, reduced.features, atol=1e-4)


def test_popularity_is_the_number_of_users_who_like_an_item():
    given_tables = some_tables()
    dataset, _ = prepared(given_tables, reduction="likes")
    likers = [(given_tables.likes[:, 1] == item).sum() for item in range(80)]
    assert dataset.features.tolist() == [[count] for count in likers]
