"""Random generators keyed by names, so that draws do not depend on other runs.

The key of a generator is (dataset, seed, purpose). So adding a seed, a policy or a purpose changes
no other draws. Two policies that draw for the same purpose on the same stream get the same draws
(common random numbers).
"""

import hashlib
from collections.abc import Callable
from functools import partial

import numpy as np

Draws = Callable[[str], np.random.Generator]


def generator(dataset: str, seed: int, purpose: str) -> np.random.Generator:
    """Make the generator of one (dataset, seed, purpose).

    Parameters
    ----------
    dataset : str
        Name of the dataset.
    seed : int
        Seed of the run, at least 0.
    purpose : str
        What is drawn: ``stream``, ``exploration``, ``posterior``, ``club_graph``, ...

    Returns
    -------
    numpy.random.Generator
        PCG64, seeded by the SHA-256 digest of the key.
    """
    key = hashlib.sha256(f"{dataset}\0{seed}\0{purpose}".encode()).digest()
    words = np.frombuffer(key, dtype="<u4").tolist()
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(words)))


def draws(dataset: str, seed: int) -> Draws:
    """Bind (dataset, seed); a policy calls the result with a purpose to get a generator."""
    return partial(generator, dataset, seed)


def generator_state(rng: np.random.Generator) -> np.ndarray:
    """Pack the state of a PCG64 generator into six ``uint64``, for storage without pickle."""
    state = rng.bit_generator.state
    mask = (1 << 64) - 1
    words = []
    for number in (state["state"]["state"], state["state"]["inc"]):
        words += [number >> 64, number & mask]
    words += [state["has_uint32"], state["uinteger"]]
    return np.array(words, dtype=np.uint64)


def restored_generator(words: np.ndarray) -> np.random.Generator:
    """Rebuild the generator that `generator_state` packed."""
    high_state, low_state, high_inc, low_inc, has_uint32, uinteger = (int(w) for w in words)
    bits = np.random.PCG64()
    bits.state = {
        "bit_generator": "PCG64",
        "state": {"state": high_state << 64 | low_state, "inc": high_inc << 64 | low_inc},
        "has_uint32": has_uint32,
        "uinteger": uinteger,
    }
    return np.random.Generator(bits)


def derived(rng: np.random.Generator) -> np.random.Generator:
    """Make a generator that depends on the state of a PCG64 generator, and leave that one as is."""
    words = generator_state(rng).tolist()
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(words)))


def draw_keys(dataset: str, seed: int, purposes: tuple[str, ...]) -> list[str]:
    """Return a description of the keys of a run's random generators (see `horde.random`)."""
    return [f"{dataset}/{seed}/{purpose}" for purpose in purposes]
