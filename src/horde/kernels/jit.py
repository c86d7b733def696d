"""The one decorator for compiled kernels, and where their machine code is kept.

Numba's on-disk cache does not notice that a kernel's callee in another module has changed. The
folder's name therefore holds a digest of all kernel sources: any edit starts an empty folder.
No fast-math: every sum is made in the written order, so digits do not depend on the processor.
"""

import hashlib
import os
import tempfile
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


numba.config.CACHE_DIR = str(_cache_folder())


def jit(function):
    """Compile `function` with numba: cached on disk, IEEE arithmetic, division by zero as numpy."""
    return numba.njit(cache=True, error_model="numpy")(function)
