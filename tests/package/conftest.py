"""The built zip, installed into a clean Blender of each kind."""

import os
from pathlib import Path
from typing import Any

import pytest

from blenders import package_targets
from failure import SetUpError
from installation import Installation, install

HERE = Path(__file__).parent
STEPS = HERE / "steps"


@pytest.hookimpl(tryfirst=True)  # before xdist reads the marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What asks for the same Blender runs in the same process (tools/test.py): it is installed, and its shot baked, once."""
    for item in items:
        if item.path.is_relative_to(HERE):
            parameters = item.callspec.params if hasattr(item, "callspec") else {}
            item.add_marker(pytest.mark.xdist_group(parameters.get("installation", "zip")))


@pytest.fixture(scope="session")
def output_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the session's zips are built."""
    return tmp_path_factory.mktemp("dist")


@pytest.fixture(scope="session")
def installations() -> dict[str, Installation]:
    """Installed once each, whatever order the tests come in."""
    return {}


@pytest.fixture(scope="session", params=list(package_targets()))
def installation(
    request: pytest.FixtureRequest, installations: dict[str, Installation], tmp_path_factory: pytest.TempPathFactory
) -> Installation:
    """One Blender with the zip of its Python installed."""
    name = request.param
    if name not in installations:
        try:
            blender = package_targets()[name]()
        except SetUpError as error:
            if os.environ.get("DOLLOP_STRICT"):
                raise
            pytest.skip(str(error))
        installations[name] = install(blender, tmp_path_factory.mktemp(name), STEPS)
    return installations[name]


@pytest.fixture(scope="session")
def shot(installation: Installation) -> dict[str, Any]:
    """A shot made with the operators and saved."""
    blend = installation.folder / "shot.blend"
    return {"blend": blend, **installation.step("make_shot", str(blend), str(installation.folder / "cache"))}


@pytest.fixture(scope="session")
def baked(installation: Installation, shot: dict[str, Any]) -> Path:
    """The same shot baked: by the command where there is a program, else by the operator."""
    if installation.blender.is_program:
        installation.program("-b", str(shot["blend"]), "--python-exit-code", "1", "--command", "dollop", "bake")
    else:
        assert installation.step("bake", str(shot["blend"]))["outcome"] == ["FINISHED"]
    return shot["blend"]
