"""What a simulation yields: one frame of every body's surface, and the records that change its topology."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from .tearing.surface_cut import SurfaceCut


@dataclass(frozen=True)
class BodyFrame:
    """One body's surface at one frame.

    uid        : Body.uid
    origin     : (3,) float64, world space [m]; constant over a bake, keeps float32 exact far from the world's origin
    positions  : (n, 3) float32, relative to origin [m]
    attributes : point attributes by name: "velocity" (n, 3) float32 [m/s], "plastic_strain" (n,) float32 [-],
                 "stress" (n,) float32 [Pa] (von Mises)
    topology   : id of the topology record (solver/cache) that the points belong to; 0 is the artist's own
    """

    uid: str
    origin: NDArray[np.float64]
    positions: NDArray[np.float32]
    attributes: dict[str, NDArray[np.float32]] = field(default_factory=dict)
    topology: int = 0


@dataclass(frozen=True)
class SurfaceChange:
    """A body's surface was cut or sewn: its record `topology` is the one before it, topology - 1, after that.

    cut   : what vertices and faces come from; None where nothing is left of it, as it has become part of another body
    taken : bodies that have become part of this one, as uid and record; theirs follow after its own before the cut
    """

    uid: str
    topology: int
    cut: "SurfaceCut | None"
    taken: tuple[tuple[str, int], ...] = ()

    @property
    def waits(self) -> bool:
        """Whether it only takes in other bodies, and is one with the next change of the same body."""
        return self.cut is None and bool(self.taken)


@dataclass(frozen=True)
class Frame:
    """One frame of the whole scene.

    statistics : plain numbers for the log and the manifest
    changes    : records of topology that are new since the frame before, in their order
    """

    number: int
    bodies: tuple[BodyFrame, ...]
    statistics: dict[str, float] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    changes: tuple[SurfaceChange, ...] = ()
