"""Colliders, one file a kind: a file of this folder that defines KIND and build(collider, settings) is found by itself."""

from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..declared import modules_with
from ..errors import SceneError
from ..scene import Collider, Scene, Settings
from .sharp import StandingOut

__all__ = ["Field", "build", "build_all", "kinds"]


# Of points (k, 3) at a time [s], up to a margin [m]: how far they are from it (k,), on which side (k, 3), how thick it is (k,)
Middle = Callable[
    [NDArray[np.float64], float, float], tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]
]

Query = Callable[
    [NDArray[np.float64], float, float, NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]], None
]


class Field(Protocol):
    """A collider as the solver sees it.

    sheet_offset : of a sheet, solid from both sides, half its thickness, at most [m]; None where there is an inside
    middle       : of a sheet that is not as thick everywhere, how points lie to its middle; None of all others
    still        : whether it never moves and nothing of it is keyed
    sticky       : whether it is ever sticky
    endless      : whether it has no other side
    beneath      : as `query`, for what belongs beneath a ground, an open mesh that is solid for a little way below; None of
                   all others
    sharp        : where it stands out; None of what is flat
    """

    sheet_offset: float | None
    middle: Middle | None
    still: bool
    sticky: bool
    endless: bool
    beneath: Query | None
    sharp: StandingOut | None

    def query(
        self,
        points: NDArray[np.float64],
        time: float,
        margin: float,
        distance: NDArray[np.float64],
        normal: NDArray[np.float64],
        velocity: NDArray[np.float64],
    ) -> None:
        """Set signed distance (k,) [m], outward unit normal (k, 3) and the surface's velocity there (k, 3) [m/s].

        points : (k, 3) world space [m]; time [s] since the first frame
        margin : where the surface is further outside than this [m], distance is inf, normal and velocity 0
        Negative inside, however deep. The collider's thickness is included, and so is its growth, along the normal. Nowhere
        outside does distance fall by more than a point moves.
        """

    def touch(self, points: NDArray[np.float64], time: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Friction (k,) [-] and stickiness (k,) [Pa] where points (k, 3) touch it at a time [s]."""

    def carried(
        self, points: NDArray[np.float64], begun: float, time: float, within: float = np.inf
    ) -> NDArray[np.float64]:  # fmt: skip
        """Where points (k, 3) that are fixed to the collider at one time [s] lie at another.

        Those that are not within so many metres of it, nor pass by that close, may go by its rigid motion alone.
        """

    def grown(self, begun: float, time: float) -> float:
        """How much further out [m] its thickness has put its surface at one time [s] than at another before; 0 if nowhere."""

    def corners(self, time: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Where the vertices (v, 3) of `sharp` lie at a time [s], and how far outside of them its surface is (v,) [m]."""


@cache
def kinds() -> dict[str, ModuleType]:
    """Return the module of every kind of collider."""
    return {module.KIND: module for module in modules_with(__name__, "KIND")}


def build(collider: Collider, settings: Settings) -> Field:
    """Return the field of a collider.

    Raises SceneError when its kind is unknown or its surface cannot be collided with.
    """
    module = kinds().get(collider.kind)
    if module is None:
        raise SceneError(
            f"There is no collider kind '{collider.kind}'.",
            body=collider.name,
            remedy=f"Choose one of {', '.join(kinds())}.",
        )
    field: Field = module.build(collider, settings)
    return field


def build_all(scene: Scene) -> list[Field]:
    """Return the fields of a scene's colliders."""
    return [build(collider, scene.settings) for collider in scene.colliders]
