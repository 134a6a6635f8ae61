"""What a figure declares about itself: a scene, where it is looked at from, and numbers of it with the bands they lie in."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from solver.cache import FrameStore
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

    def triangles(self, uid: str) -> NDArray[np.int32]:
        """The faces (t, 3) of a body's surface."""
        return next(body.surface.triangles for body in self.scene.bodies if body.uid == uid)

    def volume(self, frame: int, uid: str) -> float:
        """Volume [m^3] inside a body's closed surface."""
        points = self.points(frame, uid)
        return float(np.linalg.det((points - points.mean(axis=0))[self.triangles(uid)]).sum() / 6.0)


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
