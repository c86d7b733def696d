"""States within states: plain dicts of arrays, told apart by a prefix of their names."""

import numpy as np

State = dict[str, np.ndarray]


def nest(owner: str, state: State) -> State:
    """Return `state` with every name prefixed by ``owner.``."""
    return {f"{owner}.{name}": array for name, array in state.items()}


def unnest(owner: str, state: State) -> State:
    """Return the part of `state` that `nest` made for `owner`, under its own names."""
    prefix = f"{owner}."
    return {
        name.removeprefix(prefix): array for name, array in state.items() if name.startswith(prefix)
    }
