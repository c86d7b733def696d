"""Save and restore learned state as plain arrays, without pickle."""

from typing import ClassVar

import numpy as np

from horde.files import nest, unnest
from horde.random import generator_state, restored_generator


class Stateful:
    """An object that saves and restores what it has learned.

    Attributes
    ----------
    LEARNED : tuple of str
        Class attribute: names of the attributes with learned state. Each is an array, a number, a
        random generator or another `Stateful`. State names omit a trailing underscore.
    """

    LEARNED: ClassVar[tuple[str, ...]] = ()

    def state(self) -> dict[str, np.ndarray]:
        """Return copies of the learned state, including random generators, as arrays by name."""
        arrays = {}
        for name in self.LEARNED:
            value, key = getattr(self, name), name.rstrip("_")
            if isinstance(value, Stateful):
                arrays |= nest(key, value.state())
            elif isinstance(value, np.random.Generator):
                arrays[key] = generator_state(value)
            else:
                arrays[key] = np.array(value)
        return arrays

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Restore the state that `state` returned."""
        for name in self.LEARNED:
            value, key = getattr(self, name), name.rstrip("_")
            if isinstance(value, Stateful):
                value.restore(unnest(key, state))
            elif isinstance(value, np.random.Generator):
                setattr(self, name, restored_generator(state[key]))
            elif isinstance(value, np.ndarray):
                setattr(self, name, state[key].copy())
            else:
                setattr(self, name, type(value)(state[key]))
