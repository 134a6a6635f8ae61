"""How a collider changes its shape: vertices sampled over time, a rigid motion apart from what is left. numpy only.

What turns as a whole, as a gear that a modifier turns does, is to turn between samples too, and not to shrink on the way as
vertices on straight lines do.
"""

import numpy as np
from numpy.typing import NDArray

from .motion import Motion

Array = NDArray[np.float64]

SAME_SHAPE = 2e-6  # largest difference, as a share of its size, at which a shape is one that has moved: single precision


class Deformation:
    """Samples of a shape (k, n, 3) [m], which go straight in between, on the clock of a Motion."""

    def __init__(self, shapes: Array, motion: Motion) -> None:
        self.shapes, self.motion = shapes, motion

    def at(self, time: float) -> tuple[Array, Array]:
        """Return where the vertices lie (n, 3) [m] at a time [s], and their velocities (n, 3) [m/s]."""
        key, share, rate = self.motion.place(time, len(self.shapes))
        before, after = self.shapes[key].astype(np.float64), self.shapes[key + 1].astype(np.float64)
        return (1.0 - share) * before + share * after, rate * (after - before)


def rigid_part(transforms: Array, shapes: NDArray[np.floating]) -> tuple[Array, Array]:  # type: ignore[type-arg]
    """Return transforms (k, 4, 4) that take over the best rigid motion of shapes (k, n, 3), and the shapes that it leaves:
    (k, n, 3), or (1, n, 3) where these are all the same.

    All about their middle, which goes straight between samples. Least squares after Kabsch 1976.
    """
    first = shapes[0].astype(np.float64)
    first -= first.mean(axis=0)
    moved = np.repeat(transforms, len(shapes), axis=0) if len(transforms) == 1 else transforms.copy()
    left = np.empty(shapes.shape)
    for k, shape in enumerate(shapes):
        here = shape.astype(np.float64)
        centre = here.mean(axis=0)
        u, _, vt = np.linalg.svd(np.einsum("ni,nj->ij", here - centre, first))
        u[:, 2] *= np.sign(np.linalg.det(u) * np.linalg.det(vt))
        rotation = u @ vt
        left[k] = np.einsum("ni,ij->nj", here - centre, rotation)
        fit = np.eye(4)
        fit[:3, :3], fit[:3, 3] = rotation, centre
        moved[k] = moved[k] @ fit
    noise = SAME_SHAPE * float(np.abs(shapes[0]).max())
    return moved, left[:1] if np.abs(left - first).max() <= noise else left
