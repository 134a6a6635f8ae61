"""From state to frames: the artist's surface carried by the tets, with its attributes."""

import numpy as np
from numpy.typing import NDArray

from .embedding import Binding, evaluate, shifted
from .fem.assembly import Pattern
from .frame import BodyFrame
from .geometry.carrying import gather_at_nodes, part
from .geometry.chunks import evenly
from .geometry.measures import box_middle
from .moment import Snapshot
from .scene import Body, Scene
from .state import Ranges, Solids

Array = NDArray[np.float64]


class SurfaceOutput:
    """Evaluates every body's surface binding; tables are built once. topologies (b,) are the records that they belong to."""

    def __init__(
        self,
        bodies: tuple[Body, ...],
        surfaces: list[Binding],
        state: Solids,
        ranges: Ranges,
        pattern: Pattern,
        topologies: NDArray[np.int64] | None = None,
    ) -> None:
        self.bodies, self.tets, self.pattern = bodies, state.tets, pattern
        self.topologies = np.zeros(len(bodies), dtype=np.int64) if topologies is None else topologies
        first = zip(surfaces, ranges.tets[:-1], ranges.nodes[:-1], strict=True)
        self.surfaces = [shifted(binding, int(tet), int(node)) for binding, tet, node in first]
        self.origins = [_origin(body) for body in bodies]
        sums = np.bincount(state.tets.ravel(), np.repeat(state.volumes, 4))
        self.shares = (state.volumes[:, None] / sums[state.tets]).astype(np.float32).ravel()

    def frame(self, moment: Snapshot) -> tuple[BodyFrame, ...]:
        """Every body at one moment; scalars are averaged by volume from tets to nodes, then carried to the points."""
        values = np.empty((len(moment.positions), 8))
        evenly(
            gather_at_nodes, len(values), self.pattern.corner_offsets, self.pattern.corners, self.shares,
            moment.positions, moment.velocities, moment.plastic_strain, moment.stress, values,
        )  # fmt: skip
        return tuple(self._body(b, values) for b in range(len(self.bodies)))

    def _body(self, body: int, values: Array) -> BodyFrame:
        origin, carried = self.origins[body], evaluate(self.surfaces[body], self.tets, values)
        positions, velocities = np.empty((2, len(carried), 3), np.float32)
        strain, stress = np.empty((2, len(carried)), np.float32)
        evenly(part, len(carried), carried, origin, positions, velocities, strain, stress)
        attributes = {"velocity": velocities, "plastic_strain": strain, "stress": stress}
        return BodyFrame(self.bodies[body].uid, origin, positions, attributes, int(self.topologies[body]))


def with_gone(frames: tuple[BodyFrame, ...], scene: Scene, topologies: NDArray[np.int64]) -> tuple[BodyFrame, ...]:
    """Every body of the scene in its order, given those that are still one of their own; nothing is left of the others.

    topologies (b,) are the records of all of them.
    """
    if len(frames) == len(scene.bodies):
        return frames
    found = {frame.uid: frame for frame in frames}
    nothing = np.zeros((0, 3), dtype=np.float32)
    attributes = {"velocity": nothing, "plastic_strain": nothing[:, 0], "stress": nothing[:, 0]}
    return tuple(
        found.get(body.uid) or BodyFrame(body.uid, _origin(body), nothing, attributes, int(topology))
        for body, topology in zip(scene.bodies, topologies, strict=True)
    )


def as_shown(body: Body, places: Array) -> Array:
    """Places (n, 3) [m] as a frame of a body holds them, in single precision."""
    origin = _origin(body)
    return (places - origin).astype(np.float32) + origin


def _origin(body: Body) -> Array:
    """Where a body's frames are relative to [m]."""
    middle: Array = box_middle(body.surface.positions)
    return middle
