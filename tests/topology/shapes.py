"""Made-up local changes, and a scene in which all takes part that lies on meshes."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from solver.bake import prepare
from solver.pins.pin import Pin
from solver.presets import load_preset
from solver.remesh.patch import Patch, patch
from solver.scene import Body, Collider, Scene, Settings, validated
from solver.simulate import Simulation
from solver.tetmesh.mesh import TetMesh
from tests.surfaces import sphere

DOUGH = Path(__file__).parents[2] / "presets" / "dough.toml"


def made_up(mesh: TetMesh, middle: np.ndarray, share: float = 0.05) -> Patch:
    """Around a place (3,) in a mesh a node has moved by a share of an edge [-], and a tet beside its star is now four."""
    inner = np.setdiff1d(np.arange(len(mesh.positions)), mesh.faces.boundary)
    node = inner[((mesh.positions[inner] - middle) ** 2).sum(axis=1).argmin()]
    star = (mesh.tets == node).any(axis=1)
    beside = np.isin(mesh.tets, np.unique(mesh.tets[star])).any(axis=1) & ~star
    whole, count = np.flatnonzero(beside)[:1], len(mesh.positions)
    places = np.stack([mesh.positions[node] + share * mesh.mean_edge, mesh.positions[mesh.tets[whole[0]]].mean(axis=0)])
    quarters = np.repeat(mesh.tets[whole], 4, axis=0)
    quarters[np.arange(4), np.arange(4)] = count + 1
    turned = np.where(mesh.tets[star] == node, count, mesh.tets[star])
    return patch(mesh, np.concatenate([np.flatnonzero(star), whole]), places, np.concatenate([turned, quarters]))


def landing(frames: int = 12) -> Scene:
    """A ball of soft dough, held at one side, on sticky ground, and another one that lands on it."""
    goo = load_preset(DOUGH)
    material = replace(goo.material, values={**goo.material.values, "yield_stress": 20.0, "hardening_modulus": 0.0})
    balls = [sphere(12, 0.15, (0.05 * k, 0.02 * k, 0.152 + 0.303 * k)) for k in range(2)]
    side = np.flatnonzero(balls[0].positions[:, 0] < -0.11).astype(np.int32)
    pins = (
        Pin("firm", side[::2], np.ones(len(side[::2])), targets=balls[0].positions[side[::2]][None]),
        Pin("springs", side, np.ones(len(side)), targets=balls[0].positions[side][None], stiffness=100.0, damping=2.0),
    )
    bodies = tuple(
        Body(
            f"b{k}", f"Ball {k}", ball, material, goo.real_size, resolution=6, remeshing="wholesale",
            velocity=(0.0, 0.0, -1.0 * k), pins=pins if k == 0 else (),
        )
        for k, ball in enumerate(balls)
    )  # fmt: skip
    ground = Collider("ground", "Ground", "plane", np.eye(4)[None], stickiness=20.0)
    return validated(Scene(bodies, (ground,), Settings(frame_end=frames, body_contact="all", threads=1, worst_condition=1e9)))


def started(scene: Scene) -> Simulation:
    made = prepare(scene)
    return Simulation(scene, [one.mesh for one in made], [one.surface for one in made], [one.contacts for one in made])
