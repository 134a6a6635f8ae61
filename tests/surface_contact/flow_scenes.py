"""Scenes of goo that flows, each out of a seed: presets that fall in a heap, get new tets, tear, merge and fold.

Some lie in each other from the start. All is as artists have it: what is seen is refined, and it collides with everything.
"""

from pathlib import Path

import numpy as np

from figure_scenes.shapes import bar
from solver.materials import Material
from solver.presets import load_preset
from solver.scene import Body, Collider, Scene, Settings, Surface, validated
from tests.surface_contact.soak_scenes import sized, turned
from tests.surfaces import box, moved, sphere, surface

PRESETS = (
    "butter", "caramel", "chewing_gum", "clay", "cornstarch", "dough", "jelly", "marshmallow", "shaving_cream", "slime",
    "toothpaste", "wax",
)  # fmt: skip
SHAPES = ("fish", "goathead", "koala", "penguin", "spot", "ball", "box", "torus")
FOLDER = Path(__file__).parent.parent.parent / "presets"


def flow_scene(seed: int, frames: int) -> tuple[str, Scene]:
    """What flows, and the scene: up to four bodies of one goo, two beside and two above each other, some over a bar."""
    rng = np.random.default_rng(seed)
    preset = str(rng.choice(PRESETS))
    material = load_preset(FOLDER / f"{preset}.toml").material
    count, resolution = int(rng.integers(1, 5)), int(rng.integers(7, 11))
    tears, merges = rng.random() < 0.7, rng.random() < 0.5
    tear = float(rng.uniform(0.3, 0.7)) * 0.4 / resolution if tears else 0.0
    bodies = []
    for k in range(count):
        beside, above = k % 2, k // 2
        place = np.array([0.35 * beside - 0.17 * (count > 1), 0.0, 0.55 + 0.5 * above]) + rng.uniform(-0.08, 0.08, 3)
        speed = rng.uniform(0.0, 1.0) * (1 - 2 * beside), 0.0, -rng.uniform(0.0, 4.0)
        bodies.append(_body(k, moved(_shape(rng), place), material, resolution, tear, bool(merges), speed))
    colliders = [Collider("g", "Ground", "plane", np.eye(4)[None], friction=float(rng.choice([0.0, 0.5, 1.0])))]
    if rng.random() < 0.4:
        width = float(rng.uniform(0.05, 0.12))
        colliders.append(Collider("r", "Bar", "mesh", np.eye(4)[None], surface=bar((width, 1.6, width), (0.0, 0.0, 0.3), 0.04)))
    settings = Settings(1, frames, threads=1, body_contact="all")
    words = [preset, f"{count} bodies", "tearing" if tears else "whole", "merging" if merges else "apart"]
    return ", ".join(words), validated(Scene(tuple(bodies), tuple(colliders), settings))


def _body(
    number: int, part: Surface, material: Material, resolution: int, tear: float, merges: bool, speed: tuple[float, ...]
) -> Body:  # fmt: skip
    return Body(
        f"b{number}", f"Body {number}", part, material, resolution=resolution, remeshing="wholesale", refine_length=1.5,
        tear_thickness=tear, merging=merges, merge_group=int(merges), velocity=tuple(float(v) for v in speed),
    )  # fmt: skip


def _shape(rng: np.random.Generator) -> Surface:
    """0.3 to 0.5 m large, turned at random, about the origin."""
    name = str(rng.choice(SHAPES))
    if name == "ball":
        part = sphere(18, 0.5)
    else:
        part = box(tuple(rng.uniform(0.5, 1.0, 3))) if name == "box" else sized(name, 1.0)
    part = turned(part, rng)
    return surface(part.positions * rng.uniform(0.3, 0.5) / part.extent, part.triangles)
