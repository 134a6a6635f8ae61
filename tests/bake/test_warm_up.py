"""Compiling ahead: both warm-ups run through, and a second one in the same place finds nothing left to do."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from solver.job import write_job
from solver.materials import Material
from solver.scene import Body, Collider, Scene
from solver.warm_up import compile_beside, cube, warm_up, warm_up_dynamics

ROOT = Path(__file__).parents[2]


def scene(options: dict[str, str], model: str = "viscoplastic") -> Scene:
    body = Body("b", "Cube", cube(), Material(model, {"damping": 1.0}, options))
    return Scene((body,), (Collider("p", "Ground", "plane", np.eye(4)[None]),))


def test_both_warm_ups_simulate_three_frames():
    assert warm_up_dynamics(scene({})) == 3
    assert warm_up_dynamics(scene({}, "draft")) == 3
    assert warm_up() == 3


def test_what_is_compiled_is_not_compiled_beside_again(tmp_path):
    warm_up_dynamics(scene({}))
    assert compile_beside(tmp_path, scene({})) is None


PROGRAM = """
import sys
from numba.core import event
compiled = []
class Listener(event.Listener):
    def on_start(self, what):
        compiled.append(what.data["dispatcher"].py_func.__module__)
    def on_end(self, what):
        pass
from tests.bake.test_warm_up import remeshed
from solver.warm_up_remeshing import warm_up_remeshing
if sys.argv[1] == "warm":
    warm_up_remeshing(remeshed())
    warm_up_remeshing(remeshed("variational"))
else:
    from tests.remesh.shapes import ball, mesh_of, moved, state_of
    from solver.scene import REMESHERS
    from solver.remesh.record import mesh_change
    from solver.remesh.remeshers import remeshed
    from solver.remesh.restuffing import lattice_turn
    from solver.remesh.transfer import transferred
    old = moved(state_of(ball(0.5)), [[1.2, 0.5, 0], [0, 0.9, 0.1], [0, 0.2, 0.8]])
    event.register("numba:compile", Listener())
    for name in REMESHERS:
        transferred(old, mesh_change(mesh_of(old), remeshed(name, mesh_of(old), 0.4, lattice_turn(2))), 0.02)
    assert not compiled, sorted(set(compiled))
"""


def remeshed(remesher: str = "stuffing") -> Scene:
    one = scene({})
    return replace(one, bodies=(replace(one.bodies[0], remeshing="wholesale", remesher=remesher),))


def test_no_remesh_waits_for_a_compiler():
    """What a remesh runs is compiled beforehand, in another process than the one that has it then."""
    for part in ("warm", "remesh"):
        done = subprocess.run([sys.executable, "-c", PROGRAM, part], cwd=ROOT, env=os.environ, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


def test_another_law_is_compiled_beside(tmp_path, monkeypatch):
    warm_up_dynamics(scene({}))
    started = []
    monkeypatch.setattr(subprocess, "Popen", lambda command, **_: started.append(command))
    compile_beside(tmp_path, scene({"elastic_law": "squared_stretches"}))
    assert started[0][-2:] == ["--dynamics", str(tmp_path)]


@pytest.mark.parametrize("arguments, frames", [(["warm-up"], 3), (["warm-up", "--dynamics"], 3), (["warm-up", "--solve"], 0)])
def test_the_child_process_warms_up(arguments, frames, tmp_path):
    if len(arguments) > 1:
        write_job(scene({}), tmp_path)
        arguments = [*arguments, str(tmp_path)]
    done = subprocess.run(
        [sys.executable, "-m", "solver", *arguments],
        cwd=ROOT,
        env=os.environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=900.0,  # it hung once instead of failing; cold, on a loaded machine, it takes two minutes
    )
    assert done.returncode == 0, done.stderr
    assert f'"event": "done", "frames": {frames}' in done.stdout
