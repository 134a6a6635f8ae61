"""A simulation's checkpoint: what is kept, and how it is taken back."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .moment import Snapshot
from .remesh.discretization import Discretization, at_rest
from .remesh.remeshing import Remeshing
from .state import State
from .topology.consumers import CONSUMERS

if TYPE_CHECKING:
    from .simulate import Simulation


def checkpoint_of(simulation: "Simulation") -> dict[str, NDArray[np.generic]]:
    """Everything needed to go on with the bytes of an uninterrupted run."""
    now = simulation
    return {
        **now.state.arrays(),
        **{f"before_{name}": value for name, value in vars(now.before).items()},
        "clock": now.clock.array(),
        "frame": np.array(now.frame),
        **{name: values for consumer in CONSUMERS for name, values in consumer.kept(now).items()},
        "fresh": now.remeshing.fresh.copy(),
        "begun": now.remeshing.begun.copy(),
        "remeshes": now.remeshing.counts.copy(),
        "waits": now.remeshing.waits.copy(),
        "creases": now.remeshing.creases.copy(),
        "drawn": now.remeshing.drawn.copy(),
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
    now.remeshing.fresh, now.remeshing.begun, now.remeshing.drawn, now.remeshing.outside = (
        floats[name].copy() for name in ("fresh", "begun", "drawn", "outside")
    )
    now.remeshing.counts, now.remeshing.waits, now.remeshing.creases, now.remeshing.refused = (
        floats[name].astype(np.int64) for name in ("remeshes", "waits", "creases", "refused")
    )
    now.space.tiles.refresh(now.state)
    now.cuts, now.news = (), ()
