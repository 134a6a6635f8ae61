"""The real Blender with the zip installed, on a screen of its own."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from blenders import real_blender
from display import Display, virtual_display
from failure import SetUpError
from installation import Installation, install
from system_packages import WINDOW_PROGRAMS, ensure_programs
from window_session import WindowSession

STEPS = Path(__file__).parent / "steps"


@pytest.fixture(scope="session")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """The real program with the zip of its Python installed."""
    try:
        absent = ensure_programs(WINDOW_PROGRAMS)
        if absent:
            raise SetUpError(f"The window tests need {', '.join(absent)} (Debian: {' '.join(WINDOW_PROGRAMS.values())}).")
        blender = real_blender()
    except SetUpError as error:
        if os.environ.get("DOLLOP_STRICT"):
            raise
        pytest.skip(str(error))
    return install(blender, tmp_path_factory.mktemp("window"), STEPS)


@pytest.fixture(scope="session")
def display(installation: Installation) -> Iterator[Display]:
    """A virtual screen."""
    with virtual_display() as screen:
        yield screen


@pytest.fixture
def window(installation: Installation, display: Display, request: pytest.FixtureRequest) -> Iterator[WindowSession]:
    """Blender's window, open with a shot of its own and the Dollop tab in the sidebar."""
    name = request.node.name
    blend = installation.folder / f"{name}.blend"
    installation.step("make_shot", str(blend), str(installation.folder / f"cache {name}"))
    session = WindowSession(installation, display, blend)
    try:
        session.start()
        yield session
    finally:
        session.close()
