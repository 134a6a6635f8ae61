"""What a figure declares about itself: a scene, where it is looked at from, and numbers of it with the bands they lie in."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import ipctk
import numpy as np
from numpy.typing import NDArray

from solver.cache import FrameStore
from solver.colliders import build_all
from solver.contact.contacts import query
from solver.scene import Scene

Array = NDArray[np.float64]
Point = tuple[float, float, float]


@dataclass(frozen=True)
class Figure:
    """One figure of a paper.

    source     : paper and figure, and what is different here
    scene      : from the resolution of its bodies
    resolution : for the picture; `coarse` for the test, where the bands hold too
    shown      : frames that are rendered beside each other
    eye, focus : where the camera stands and what it looks at [m]; lens its focal length [mm]
    colours    : base colour of each body by its uid
    measure    : the numbers, by name, of a baked shot
    bands      : least and most of each number, from what physics or the paper says and not from what came out
    see_through: bodies are seen through obstacles
    by_hand    : takes too long to be a test; only tools/figures.py bakes it
    """

    title: str
    source: str
    scene: Callable[[int], Scene]
    resolution: int
    coarse: int
    shown: tuple[int, ...]
    eye: Point
    focus: Point
    lens: float
    colours: dict[str, Point]
    measure: Callable[["Shot"], dict[str, float]]
    bands: dict[str, tuple[float, float]]
    see_through: bool = False
    by_hand: bool = False


@dataclass(frozen=True)
class Shot:
    """A baked scene: its frames lie in a cache."""

    scene: Scene
    cache: Path

    def points(self, frame: int, uid: str) -> Array:
        """Positions (n, 3) of a body's surface in the world [m]."""
        with FrameStore.open(self.cache) as store:
            shown = store.read_body_frame(frame, uid)
        return np.asarray(shown.positions + shown.origin, dtype=np.float64)

    def attribute(self, frame: int, uid: str, name: str) -> Array:
        """A point attribute of a body's surface, "velocity", "plastic_strain" or "stress"."""
        with FrameStore.open(self.cache) as store:
            return np.asarray(store.read_body_frame(frame, uid).attributes[name], dtype=np.float64)

    def triangles(self, uid: str, frame: int) -> NDArray[np.int32]:
        """The faces (t, 3) of a body's surface at a frame; none where it has become part of another body."""
        with FrameStore.open(self.cache) as store:
            record = store.read_topology(uid, store.read_body_frame(frame, uid).topology)
        return record.corner_vertices.reshape(-1, 3)

    def volume(self, frame: int, uid: str) -> float:
        """Volume [m^3] inside a body's closed surface."""
        points = self.points(frame, uid)
        return float(np.linalg.det((points - points.mean(axis=0))[self.triangles(uid, frame)]).sum() / 6.0)

    def inverted(self, frame: int) -> float:
        """The share of all tets that are inside out."""
        with FrameStore.open(self.cache) as store:
            tets = sum(int(body["tets"]) for body in store.manifest["meshes"].values())
            return float(store.journal()[frame]["statistics"]["inverted"]) / tets

    def total(self, name: str) -> float:
        """A statistic of all frames together."""
        with FrameStore.open(self.cache) as store:
            return float(sum(entry["statistics"][name] for entry in store.journal().values()))

    def middle(self, frame: int, uid: str) -> Array:
        """The centre (3,) of the space inside a body's closed surface [m]."""
        points = self.points(frame, uid)
        corners = (points - points.mean(axis=0))[self.triangles(uid, frame)]
        shares = np.linalg.det(corners) / np.linalg.det(corners).sum()
        middle: Array = points.mean(axis=0) + shares @ corners.sum(axis=1) / 4.0
        return middle

    def crossings(self) -> int:
        """At how many frames faces of bodies pass through each other, or through others of their own, as ipctk sees it."""
        bodies, settings = self.scene.bodies, self.scene.settings
        first = np.cumsum([0, *(len(body.surface.positions) for body in bodies)])
        faces = np.concatenate([body.surface.triangles + k for body, k in zip(bodies, first, strict=False)])
        edges = np.unique(np.sort(faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1), axis=0)
        rest = np.concatenate([body.surface.positions for body in bodies])
        mesh = ipctk.CollisionMesh(rest, edges, faces)
        if settings.body_contact == "bodies":
            mesh.can_collide = ipctk.make_vertex_patches_filter(np.repeat(np.arange(len(bodies)), np.diff(first)))
        frames = range(settings.frame_start, settings.frame_end + 1)
        places = (np.concatenate([self.points(frame, body.uid) for body in bodies]) for frame in frames)
        return sum(bool(ipctk.has_intersections(mesh, place)) for place in places)

    def depth(self, frame: int, uid: str) -> float:
        """How deep [m] a body's surface lies inside a collider at most."""
        points, settings = self.points(frame, uid), self.scene.settings
        time = (frame - settings.frame_start) / settings.frames_per_second
        return max(-float(query(field, points, time, np.inf)[0].min()) for field in self.obstacles)

    @cached_property
    def obstacles(self) -> list[Any]:
        """The scene's colliders, built."""
        return build_all(self.scene)


def turned_onto(rest: Array, found: Array) -> Array:
    """The shape `found` (n, 3) turned as near to `rest` as it goes, both about their middles [m] (Kabsch)."""
    a, b = rest - rest.mean(axis=0), found - found.mean(axis=0)
    left, _, right = np.linalg.svd(a.T @ b)
    turn = left @ np.diag([1.0, 1.0, np.linalg.det(left @ right)]) @ right
    turned: Array = b @ turn.T
    return turned


def misfit(rest: Array, found: Array) -> float:
    """Root mean square distance [m] of two shapes (n, 3) after the best rigid motion."""
    return float(np.sqrt(((turned_onto(rest, found) - rest + rest.mean(axis=0)) ** 2).sum(axis=1).mean()))


def outside(numbers: dict[str, float], bands: dict[str, tuple[float, float]]) -> list[str]:
    """A sentence for each number that does not lie in its band."""
    if numbers.keys() != bands.keys():
        raise ValueError(f"measured {sorted(numbers)}, bands for {sorted(bands)}")
    return [
        f"{name} is {value:.4g}, outside {bands[name][0]:.4g} to {bands[name][1]:.4g}"
        for name, value in numbers.items()
        if not bands[name][0] <= value <= bands[name][1]
    ]
