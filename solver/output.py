"""From state to frames: the artist's surface carried by the tets, with its attributes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .embedding import Binding, evaluate, shifted
from .frame import BodyFrame
from .scene import Body
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
        """The present."""
        return cls(state.positions.copy(), state.velocities.copy(), state.plastic_strain.copy(), state.stress.copy())


def between(before: Snapshot, after: Snapshot, fraction: float, step: float) -> Snapshot:
    """The moment at `fraction` of the step [s] between two: a cubic through both positions and velocities."""
    f = fraction
    h00, h10, h01, h11 = (1 + 2 * f) * (1 - f) ** 2, f * (1 - f) ** 2, f * f * (3 - 2 * f), f * f * (f - 1)
    positions = h00 * before.positions + h01 * after.positions
    positions += step * (h10 * before.velocities + h11 * after.velocities)
    return Snapshot(
        positions,
        (1 - f) * before.velocities + f * after.velocities,
        (1 - f) * before.plastic_strain + f * after.plastic_strain,
        (1 - f) * before.stress + f * after.stress,
    )


class SurfaceOutput:
    """Evaluates every body's surface binding; tables are built once."""

    def __init__(self, bodies: tuple[Body, ...], surfaces: list[Binding], state: Solids, ranges: Ranges) -> None:
        self.bodies = bodies
        first = zip(surfaces, ranges.tets[:-1], ranges.nodes[:-1], strict=True)
        self.surfaces = [shifted(binding, int(tet), int(node)) for binding, tet, node in first]
        self.origins = [0.5 * (b.surface.positions.min(axis=0) + b.surface.positions.max(axis=0)) for b in bodies]
        self.tets, self.nodes = state.tets, len(state.positions)
        self.share = np.repeat(state.volumes, 4)
        total = np.bincount(state.tets.ravel(), self.share, minlength=len(state.positions))
        self.share /= total[state.tets.ravel()]

    def frame(self, moment: Snapshot) -> tuple[BodyFrame, ...]:
        """Every body at one moment; scalars are averaged by volume from tets to nodes, then carried to the points."""
        strain, stress = self._at_nodes(moment.plastic_strain), self._at_nodes(moment.stress)
        return tuple(self._body(b, moment, strain, stress) for b in range(len(self.bodies)))

    def _at_nodes(self, values: Array) -> Array:
        return np.bincount(self.tets.ravel(), np.repeat(values, 4) * self.share, minlength=self.nodes).astype(np.float64)

    def _body(self, body: int, moment: Snapshot, strain: Array, stress: Array) -> BodyFrame:
        binding, origin = self.surfaces[body], self.origins[body]
        attributes = {
            "velocity": evaluate(binding, self.tets, moment.velocities).astype(np.float32),
            "plastic_strain": np.maximum(evaluate(binding, self.tets, strain), 0.0).astype(np.float32),
            "stress": np.maximum(evaluate(binding, self.tets, stress), 0.0).astype(np.float32),
        }
        positions = evaluate(binding, self.tets, moment.positions - origin)
        return BodyFrame(self.bodies[body].uid, origin, positions.astype(np.float32), attributes)
