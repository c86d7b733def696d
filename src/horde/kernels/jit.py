"""The one decorator for compiled kernels, and where their machine code is kept.

Numba's on-disk cache does not notice that a kernel's callee in another module has changed, and is
kept apart for every path of a checkout. The folder's name therefore holds a digest of all kernel
sources: any edit starts an empty folder, and all checkouts with the same kernels share one.
No fast-math: every sum is made in the written order, so digits do not depend on the processor.
"""

import hashlib
import os
import tempfile
from functools import partial
from pathlib import Path

import numba


def _sources_digest() -> str:
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.name.encode() + source.read_bytes())
    return digest.hexdigest()[:16]


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _cache_folder() -> Path:
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser())
    base = Path(os.environ.get("HORDE_KERNEL_CACHE") or home / "horde" / "kernels")
    folder = base / _sources_digest()
    if _writable(folder):
        return folder
    return Path(tempfile.gettempdir()) / f"horde-kernels-{os.getuid()}" / folder.name


FOLDER = _cache_folder()


class Locator:
    """Tell numba where a kernel's machine code lies: by the kernels' content, not by their path.

    Its methods are those that numba asks of a cache locator.
    """

    def __init__(self, function):
        self._line = function.__code__.co_firstlineno

    @classmethod
    def from_function(cls, function, _source):
        """Return the locator of a kernel."""
        return cls(function)

    def ensure_cache_path(self):
        """Make the folder."""
        FOLDER.mkdir(parents=True, exist_ok=True)

    def get_cache_path(self):
        """Return the folder."""
        return str(FOLDER)

    def get_source_stamp(self):
        """Return what a change of the sources changes."""
        return FOLDER.name

    def get_disambiguator(self):
        """Return what tells kernels of one name and module apart."""
        return str(self._line)


def inline(function):
    """Compile `function` into each of its callers, so that no call passes its many arrays."""
    return numba.njit(inline="always", error_model="numpy")(function)


def jit(function=None, *, signatures=None):
    """Compile `function` with numba: cached on disk, IEEE arithmetic, division by zero as numpy.

    Parameters
    ----------
    function : callable
        The function to decorate.
    signatures : list of numba signatures, optional
        Compile for these types when the module is imported, and for no others: a call with others
        raises TypeError. By default, compile at the first call for the types of its arguments.
    """
    if function is None:
        return partial(jit, signatures=signatures)
    # Numba asks for the place here, once, and for its own ones afterwards. One that does not know
    # locators keeps machine code by path, in the same folder.
    config = numba.config
    before = config.CACHE_DIR, getattr(config, "CACHE_LOCATOR_CLASSES", "")
    config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES = str(FOLDER), f"{__name__}.Locator"
    try:
        return numba.njit(signatures, cache=True, error_model="numpy")(function)
    finally:
        config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES = before
