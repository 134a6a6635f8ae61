"""What the set-up and the test command say and count when something is absent or dies."""

import importlib.util
import os
import sys
from pathlib import Path

import pytest

import system_packages
from failure import SetUpError

DIES = "import os\ndef test_a(): pass\ndef test_b(): os._exit(0)\n"


@pytest.fixture(scope="module")
def command():
    """tools/test.py; `test` itself is a module of Python's."""
    spec = importlib.util.spec_from_file_location("test_command", Path(system_packages.__file__).with_name("test.py"))
    sys.modules[spec.name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_libraries_that_are_absent_are_named_with_their_packages(monkeypatch):
    monkeypatch.setattr(system_packages, "BPY_LIBRARIES", {"libc.so.6": "libc6", "libgoo.so.9": "libgoo9"})
    monkeypatch.setattr(system_packages, "can_install", lambda: False)
    with pytest.raises(SetUpError, match=r"libgoo\.so\.9: install libgoo9 ") as caught:
        system_packages.ensure_bpy_libraries()
    assert "libc6" not in str(caught.value)


@pytest.mark.parametrize("dealt", [[], ["-n", "2"]], ids=["one process", "two"])
def test_a_test_that_ends_its_process_without_a_word_is_not_in_order(command, dealt, tmp_path, monkeypatch, capfd):
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    (tmp_path / "test_dies.py").write_text(DIES)
    tally = command.Tally()
    command.run_pytest("dying", Path(sys.executable), [*dealt, str(tmp_path / "test_dies.py")], tally, dict(os.environ))
    assert len(tally.broken) == 1 and tally.broken[0].startswith("dying")


def test_only_what_needs_the_machine_or_pytest_for_itself_has_one_process(command):
    cores = len(os.sched_getaffinity(0))
    assert command.processes("solver", ["-k", "bake"]) == command.processes("blender", []) == cores
    assert command.processes("window", []) == command.processes("solver", ["-s"]) == 1


def test_every_folder_of_tests_belongs_to_one_group(command):
    folders = [folder for group in command.GROUPS if group != "checks" for folder in command.test_folders(group)]
    present = {f"tests/{path.parent.name}" for path in (command.ROOT / "tests").glob("*/test_*.py")}
    assert len(folders) == len(set(folders)) and present <= set(folders)
