"""The built zip, installed into a clean Blender of each kind."""

import os
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

from blenders import package_targets
from failure import SetUpError
from installation import Installation, install

STEPS = Path(__file__).parent / "steps"


class OneInstallationEach(LoadScopeScheduling):
    """Tests of one Blender go to one process: it is installed, and its shot baked, once. The zips' own go together too."""

    def _split_scope(self, nodeid: str) -> str:
        return next((name for name in package_targets() if nodeid.endswith(f"[{name}]")), "zip")


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadScopeScheduling:
    """tools/test.py has several processes test; xdist's own groups ("loadgroup") do nothing under pytest 9.2."""
    return OneInstallationEach(config, log)


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
