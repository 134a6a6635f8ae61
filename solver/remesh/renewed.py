"""What a remesh of some bodies gives."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..fem.workspace import Unknowns
from ..topology.change import TopologyChange
from .discretization import Discretization
from .record import MeshChange

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Renewed:
    """What a remesh gives: new meshes, their unknowns if they are new, the change, and that of each body's tets.

    apart     : bodies of which pieces touch that should have merged, and are still apart
    fragments : by body how many pieces vanished at a tear, and their volume [m^3]
    thin      : bodies that have kept their tets, new ones being thicker than they are
    refused   : bodies that have kept their tets for now, as something seen would have been left outside of new ones, or would
                have passed through itself at a tear
    outside   : by body how far outside its new tets the farthest lies that is seen [m]
    folded    : bodies whose remesher knows no folds that have got stuffed tets, as they are folded onto themselves
    crossing  : by body where (k, 3) faces pass through others that did not before they were sewn or creases closed [m]
    """

    mesh: Discretization
    unknowns: Unknowns | None
    change: TopologyChange
    changes: dict[int, MeshChange]
    apart: frozenset[int]
    fragments: dict[int, tuple[int, float]]
    thin: tuple[int, ...] = ()
    refused: tuple[int, ...] = ()
    outside: dict[int, float] = field(default_factory=dict)
    crossing: dict[int, Array] = field(default_factory=dict)
    folded: tuple[int, ...] = ()
