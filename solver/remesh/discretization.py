"""What every table of a simulation is built from, so that a checkpoint can have them built again."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..embedding import Binding, Spread
from ..state import Ranges, State
from ..tetmesh.mesh import TetMesh

PREFIX = "mesh."


@dataclass
class Discretization:
    """Meshes and what is bound to them; surfaces and contacts hold one item a body.

    state is that at which the tables were, or are to be, built: rest shapes size firmness, positions number the unknowns.
    """

    state: State
    ranges: Ranges
    surfaces: list[Binding]
    contacts: list[Binding]

    def mesh(self, body: int) -> TetMesh:
        """One body's mesh as it lies."""
        (a, b), (c, d) = self.ranges.nodes[body : body + 2], self.ranges.tets[body : body + 2]
        return TetMesh(self.state.positions[a:b], (self.state.tets[c:d] - a).astype(np.int32))

    def copy(self) -> "Discretization":
        """The same with a state of its own, which steps may change."""
        return Discretization(State.from_arrays(self.state.arrays()), self.ranges, self.surfaces, self.contacts)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All of it by name, for a checkpoint."""
        arrays = {f"state.{name}": values for name, values in self.state.arrays().items()}
        arrays |= {"nodes": self.ranges.nodes, "tets": self.ranges.tets}
        for kind, bindings in (("surface", self.surfaces), ("contact", self.contacts)):
            for body, binding in enumerate(bindings):
                arrays |= {f"{kind}.{body}.{name}": values for name, values in _of_binding(binding).items()}
        return {PREFIX + name: values for name, values in arrays.items()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> "Discretization | None":
        """That of a checkpoint; None where it holds none."""
        own = {name.removeprefix(PREFIX): values for name, values in arrays.items() if name.startswith(PREFIX)}
        if not own:
            return None
        ranges = Ranges(own["nodes"].astype(np.int64), own["tets"].astype(np.int64))
        bodies = range(len(ranges.nodes) - 1)
        surfaces, contacts = ([_binding(own, f"{kind}.{body}.") for body in bodies] for kind in ("surface", "contact"))
        return cls(State.from_arrays(_after(own, "state.")), ranges, surfaces, contacts)


def _after(arrays: Mapping[str, NDArray[Any]], prefix: str) -> dict[str, NDArray[Any]]:
    return {name.removeprefix(prefix): values for name, values in arrays.items() if name.startswith(prefix)}


def _of_binding(binding: Binding) -> dict[str, NDArray[Any]]:
    arrays: dict[str, NDArray[Any]] = {"tets": binding.tets, "weights": binding.weights}
    if binding.spread is not None:
        arrays |= {f"spread.{name}": values for name, values in vars(binding.spread).items()}
    return arrays


def _binding(arrays: Mapping[str, NDArray[Any]], prefix: str) -> Binding:
    own = _after(arrays, prefix)
    spread = _after(own, "spread.")
    return Binding(own["tets"], own["weights"], Spread(**spread) if spread else None)
