import pytest

from horde.figures import style


@pytest.fixture
def saved(monkeypatch):
    """The figures that would have been written, and their captions."""
    figures = []
    monkeypatch.setattr(
        style, "save", lambda figure, _path, caption: figures.append((figure, caption))
    )
    return figures
