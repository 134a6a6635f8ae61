"""The child process: heard without waiting, stopped in good order, and missed with a sentence when it dies."""

import os
import sys
import threading
import time
from pathlib import Path

import bpy
import pytest

from .reading import bridge

CHILD = Path(__file__).with_name("scripted_child.py")


@pytest.fixture
def start(extension, monkeypatch):
    """Start the scripted child in the solver's place."""
    process = bridge("solver_process")
    monkeypatch.setattr(process, "solver_command", lambda arguments: [sys.executable, str(CHILD), *arguments])
    started = []

    def start(part, **options):
        started.append(process.SolverProcess([part], **options))
        return started[-1]

    yield start
    for one in started:
        one.kill()
        one.wait(5)
        one.close()


def until(condition, seconds=10):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.01)


def test_events_arrive_in_order_and_chatter_does_not(start):
    child = start("speaks")
    assert child.wait(10) and child.returncode == 0
    events = child.events()
    assert [event["event"] for event in events] == ["stage", "warning", "done"]
    assert events[1]["message"] == "ä 🍞 \n two lines"
    assert child.events() == []


def test_listening_never_waits(start):
    child = start("deaf")
    until(lambda: child.events())
    begin = time.perf_counter()
    for _ in range(100):
        child.events()
        assert not child.finished
    assert time.perf_counter() - begin < 0.1


def test_death_has_a_sentence(start):
    child = start("dies")
    assert child.wait(10)
    assert "code 3" in child.death_notice() and "Traceback: the cause" in child.death_notice()


@pytest.mark.skipif(sys.platform == "win32", reason="signals are not Windows' way")
def test_death_by_signal_has_a_sentence(start):
    child = start("killed")
    assert child.wait(10) and child.returncode == -9
    assert "signal 9" in child.death_notice()


def test_asked_to_stop(start):
    child = start("obeys")
    until(lambda: child.events())
    child.ask_to_stop()
    child.ask_to_stop()
    assert child.wait(10) and child.returncode == 7
    assert child.events()[-1]["exit_code"] == 7


def test_stop_now_kills_what_does_not_listen(start):
    child = start("deaf")
    until(lambda: child.events())
    begin = time.monotonic()
    child.stop_now()
    assert time.monotonic() - begin < 5 and child.returncode not in (None, 0)


def test_what_keeps_it_from_starting_is_told(start):
    def full():
        raise OSError(28, "No space left on device")

    child = start("obeys", before=full)
    with pytest.raises(OSError, match="No space"):
        child.require_start()
    assert child.wait(5) and child.returncode is None and child.events() == []


def test_killed_before_it_starts_it_does_not(start):
    go = threading.Event()
    child = start("speaks", before=lambda: go.wait(10))
    child.kill()
    assert not child.finished
    go.set()
    assert child.wait(5) and child.returncode is None and child.events() == []


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")
def test_killed_with_what_it_has_started(start):
    child = start("helped")
    told = []
    until(lambda: told.extend(child.events()) or told)
    child.kill()
    assert child.wait(5)
    until(lambda: not alive(told[0]["pid"]))


def alive(number):
    """Whether a process runs; one that has ended and that nobody has asked for yet does not."""
    try:
        return Path(f"/proc/{number}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_environment_leads_to_the_solver(extension, monkeypatch, tmp_path):
    process = bridge("solver_process")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "compiled"))
    environment = process.solver_environment()
    path = environment["PYTHONPATH"].split(os.pathsep)
    assert (Path(path[0]) / "solver" / "__main__.py").is_file()
    assert all(Path(entry).name in ("site-packages", "dist-packages") for entry in path[1:])
    assert environment["NUMBA_CACHE_DIR"] == str(tmp_path / "compiled") and (tmp_path / "compiled").is_dir()


@pytest.mark.parametrize("writable", [True, False])
def test_bytecode_is_kept(writable, extension, monkeypatch, tmp_path):
    """Beside the sources, or where these must not be written beside the kernels; unless its user forbids it."""
    process = bridge("solver_process")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    monkeypatch.delenv("PYTHONPYCACHEPREFIX", raising=False)
    monkeypatch.setattr(process.os, "access", lambda path, mode: writable)
    environment = process.solver_environment()
    assert "PYTHONDONTWRITEBYTECODE" not in environment
    assert environment.get("PYTHONPYCACHEPREFIX") == (None if writable else str(tmp_path / "bytecode"))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    assert process.solver_environment()["PYTHONDONTWRITEBYTECODE"] == "1"


def test_blender_stands_in_for_a_missing_python(extension, monkeypatch):
    process = bridge("solver_process")
    monkeypatch.setattr(process.sys, "executable", "/nowhere/blender")
    command = process.solver_command(["bake", "a 'quoted' job"])
    assert command[:6] == [bpy.app.binary_path, "-b", "--factory-startup", "--python-exit-code", "1", "--python-expr"]
    compile(command[6], "expression", "exec")
    assert "a 'quoted' job" in command[6] and "run_module('solver'" in command[6]
