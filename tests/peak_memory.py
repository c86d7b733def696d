"""How much memory a call takes at its largest."""

import tracemalloc


def peak_bytes(call, *arguments):
    """Call, and return the largest number of bytes that was allocated at once."""
    tracemalloc.start()
    try:
        call(*arguments)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
