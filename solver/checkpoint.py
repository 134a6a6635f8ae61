"""A simulation's checkpoint: what is kept, and how it is taken back."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .fem.tile import Tiles
from .moment import Snapshot
from .remesh.discretization import Discretization, at_rest, kept_state
from .remesh.remeshing import Remeshing
from .state import State
from .topology.consumers import CONSUMERS

if TYPE_CHECKING:
    from .simulate import Simulation


class KeptShapes:
    """Copies of what flow has made of the tets, most of what a step may change in place: good until it has changed any."""

    def __init__(self) -> None:
        self._seen: tuple[object, ...] = ()
        self._changes = -1
        self._copies: dict[str, NDArray[np.float64]] = {}

    def of(self, state: State, tiles: Tiles) -> dict[str, NDArray[np.float64]]:
        """Those of the present, by name; what makes rest shapes larger or smaller makes the arrays anew, or counts as flow."""
        shapes = {name: getattr(state, name) for name in ("rest_shape_inverse", "plastic_deformation")}
        seen = (tiles, *shapes.values())
        known = len(self._seen) == len(seen) and all(a is b for a, b in zip(self._seen, seen, strict=True))
        if not known or self._changes != tiles.reshaped:
            self._copies = {name: values.copy() for name, values in shapes.items()}
        self._seen, self._changes = seen, tiles.reshaped
        return self._copies


def checkpoint_of(simulation: "Simulation") -> dict[str, NDArray[np.generic]]:
    """Everything needed to go on with the bytes of an uninterrupted run. It stays as it is while the simulation goes on."""
    now = simulation
    now.keyed.shared = True
    return {
        **vars(kept_state(now.state, **now.shapes.of(now.state, now.space.tiles))),
        **{f"before_{name}": value for name, value in vars(now.before).items()},
        "clock": now.clock.array(),
        "frame": np.array(now.frame),
        **{name: values for consumer in CONSUMERS for name, values in consumer.kept(now).items()},
        "fresh": now.remeshing.fresh.copy(),
        "begun": now.remeshing.begun.copy(),
        "remeshes": now.remeshing.counts.copy(),
        "waits": now.remeshing.waits.copy(),
        "thin": now.remeshing.thin.copy(),
        "creases": now.remeshing.creases.copy(),
        "drawn": now.remeshing.drawn.copy(),
        "off": now.remeshing.off.copy(),
        "refused": now.remeshing.refused.copy(),
        "outside": now.remeshing.outside.copy(),
        **({} if now.remeshed is None else now.remeshed.arrays()),
    }


def restore(simulation: "Simulation", arrays: Mapping[str, NDArray[np.generic]]) -> None:
    """Go back to a checkpoint of the same scene."""
    now = simulation
    meshes = Discretization.from_arrays(arrays)
    if meshes is not None or now.remeshed is not None:
        meshes, remeshed = meshes or at_rest(now.whole.bodies, *now._rest), meshes is not None
        now.settle(meshes, remeshed=remeshed)
        now.remeshing = Remeshing(now.whole, meshes.hosts)
    floats = {name: np.asarray(value, dtype=np.float64) for name, value in arrays.items()}
    now.state = State.from_arrays({name: floats[name] for name in vars(now.state)} | {"tets": now.state.tets})
    now.damping.state = now.state
    now.keyed.restart(now.state)
    now.before = Snapshot(**{name: floats[f"before_{name}"].copy() for name in vars(now.before)})
    now.clock.restore(floats["clock"])
    now.frame = int(floats["frame"])
    for consumer in CONSUMERS:
        consumer.restore(now, arrays)
    now.remeshing.fresh, now.remeshing.begun, now.remeshing.drawn, now.remeshing.off, now.remeshing.outside = (
        floats[name].copy() for name in ("fresh", "begun", "drawn", "off", "outside")
    )
    now.remeshing.counts, now.remeshing.waits, now.remeshing.thin, now.remeshing.creases, now.remeshing.refused = (
        floats[name].astype(np.int64) for name in ("remeshes", "waits", "thin", "creases", "refused")
    )
    now.space.tiles.refresh(now.state)
    now.cuts, now.news = (), ()
