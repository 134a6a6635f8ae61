"""What moves a body is chosen by its material model; bodies that are moved differently run side by side.

Dynamics take the bodies that are theirs and know nothing of others: bodies that are moved differently do not touch.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from .colliders import Field, build_all
from .draft.simulation import DraftSimulation
from .embedding import Binding
from .frame import BodyFrame, Frame
from .materials import models
from .scene import Scene
from .simulate import Simulation
from .tetmesh.mesh import TetMesh

KINDS: dict[str, Callable[..., "Dynamics"]] = {"newton": Simulation, "draft": DraftSimulation}
ALONE = {"draft"}  # spends its fixed number of iterations on each body by itself


class Dynamics(Protocol):
    """Bodies moving through time."""

    def advance(self, should_stop: Callable[[], bool] = ...) -> Frame:
        """Simulate to the next frame; the first call returns the rest state at `frame_start`."""

    def checkpoint(self) -> dict[str, NDArray[np.generic]]:
        """Everything needed to go on with the bytes of an uninterrupted run."""

    def restore(self, arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """Go back to a checkpoint of the same scene."""


def start(
    scene: Scene,
    meshes: list[TetMesh],
    surfaces: list[Binding],
    contacts: list[Binding],
    fields: list[Field] | None = None,
) -> Dynamics:
    """Return what moves the scene's bodies; meshes, surfaces and contacts hold one item a body.

    `fields` replaces the colliders built from the scene.
    """
    fields = build_all(scene) if fields is None else fields
    groups: dict[tuple[str, int], list[int]] = {}
    for index, body in enumerate(scene.bodies):
        kind = models()[body.material.model].dynamics
        groups.setdefault((kind, index if kind in ALONE else 0), []).append(index)
    parts: list[Dynamics] = [
        KINDS[kind](
            replace(scene, bodies=tuple(scene.bodies[i] for i in own)),
            [meshes[i] for i in own], [surfaces[i] for i in own], [contacts[i] for i in own], fields,
        )
        for (kind, _), own in groups.items()
    ]  # fmt: skip
    if len(parts) == 1:
        return parts[0]
    return SideBySide(parts, list(chain.from_iterable(groups.values())))


class SideBySide:
    """Several dynamics as one; `order` says which body of the scene each of their bodies is, one part after another."""

    def __init__(self, parts: list[Dynamics], order: list[int]) -> None:
        self.parts, self.order = parts, order

    def advance(self, should_stop: Callable[[], bool] = lambda: False) -> Frame:
        """Every part to the next frame; statistics are added up, of those that say how bad something is the worst counts."""
        frames = [part.advance(should_stop) for part in self.parts]
        bodies: list[BodyFrame] = [body for frame in frames for body in frame.bodies]
        statistics: dict[str, float] = {}
        for frame in frames:
            for name, value in frame.statistics.items():
                other = statistics.get(name, 0.0)
                statistics[name] = max(other, value) if name.startswith("worst") else other + value
        in_order = tuple(bodies[place] for place in np.argsort(self.order))
        warnings = tuple(chain.from_iterable(frame.warnings for frame in frames))
        changes = tuple(chain.from_iterable(frame.changes for frame in frames))
        return Frame(frames[0].number, in_order, statistics, warnings, changes)

    def checkpoint(self) -> dict[str, NDArray[np.generic]]:
        """The parts' checkpoints, each name with the number of its part before it."""
        return {f"{k}.{name}": value for k, part in enumerate(self.parts) for name, value in part.checkpoint().items()}

    def restore(self, arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """Go back to a checkpoint of the same scene."""
        for k, part in enumerate(self.parts):
            own = f"{k}."
            part.restore({name.removeprefix(own): value for name, value in arrays.items() if name.startswith(own)})


def simulate(
    scene: Scene,
    meshes: list[TetMesh],
    surfaces: list[Binding],
    contacts: list[Binding],
    fields: list[Field] | None = None,
) -> Iterator[Frame]:
    """Yield every frame of the scene's range."""
    simulation = start(scene, meshes, surfaces, contacts, fields)
    for _ in range(scene.settings.frame_start, scene.settings.frame_end + 1):
        yield simulation.advance()
