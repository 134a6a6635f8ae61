"""From state to frames: the artist's surface carried by the tets, with its attributes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .embedding import Binding, evaluate, shifted
from .fem.assembly import Pattern
from .frame import BodyFrame
from .geometry.carrying import gather_at_nodes, mix, part
from .geometry.chunks import evenly
from .scene import Body, Scene
from .state import Ranges, Solids

Array = NDArray[np.float64]


@dataclass
class Snapshot:
    """What a frame shows of the state; n nodes, m tets.

    positions, velocities (n, 3) [m], [m/s]; plastic_strain (m,); stress (m,) von Mises [Pa]
    """

    positions: Array
    velocities: Array
    plastic_strain: Array
    stress: Array

    @classmethod
    def of(cls, state: Solids) -> "Snapshot":
        """The present, until the state goes on."""
        return cls(state.positions, state.velocities, state.plastic_strain, state.stress)

    @classmethod
    def kept(cls, state: Solids) -> "Snapshot":
        """The present, for good."""
        return cls(state.positions.copy(), state.velocities.copy(), state.plastic_strain.copy(), state.stress.copy())


def between(before: Snapshot, after: Snapshot, fraction: float, step: float) -> Snapshot:
    """The moment at `fraction` of the step [s] between two: a cubic through both positions and velocities."""
    f = fraction
    h00, h10, h01, h11 = (1 + 2 * f) * (1 - f) ** 2, f * (1 - f) ** 2, f * f * (3 - 2 * f), f * f * (f - 1)
    positions = _mixed(h00, before.positions, h01, after.positions)
    positions += _mixed(step * h10, before.velocities, step * h11, after.velocities)
    return Snapshot(
        positions,
        _mixed(1 - f, before.velocities, f, after.velocities),
        _mixed(1 - f, before.plastic_strain, f, after.plastic_strain),
        _mixed(1 - f, before.stress, f, after.stress),
    )


def _mixed(a: float, x: Array, b: float, y: Array) -> Array:
    """a x + b y in one pass."""
    result = np.empty(x.shape)
    mix(a, x.ravel(), b, y.ravel(), result.reshape(-1))
    return result


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
        corners = state.tets.ravel()
        shares = np.repeat(state.volumes, 4)
        self.shares = (shares / np.bincount(corners, shares)[corners]).astype(np.float32)

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
    middle: Array = 0.5 * (body.surface.positions.min(axis=0) + body.surface.positions.max(axis=0))
    return middle
