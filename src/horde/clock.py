"""When it is time to tell how far a long run is, or to save it."""

from time import monotonic

# Between two tellings of how far a long run is.
PROGRESS_SECONDS = 5.0


class Every:
    """A clock that is due once every so many seconds.

    Parameters
    ----------
    seconds : float
        From now, and from the last time it was due.
    """

    def __init__(self, seconds: float):
        self.seconds = seconds
        self._next = monotonic() + seconds

    def due(self) -> bool:
        """Return whether the seconds have passed, and start anew if so."""
        now = monotonic()
        if now < self._next:
            return False
        self._next = now + self.seconds
        return True
