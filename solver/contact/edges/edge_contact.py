"""Sharp edges and corners of colliders as contacts of a step, beside those of points (contacts.py), by the same laws.

Points of a body leave room between them, in which an edge of a collider could sink into a face. So each of its corners is a
contact with the face that it lies over, and its edges are with each edge of the body that they cross (touching.py): of two
sharp bodies these are the pairs in which they meet first (Baraff 1992). As planes they are asked for anew with those of
points, yield where there is no room as these do, and are pushed, stick and slide by the same numbers.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...colliders import Field
from ...colliders.sharp import Sharp
from ..contacts import FREE_DEPTH, SLIP_SPEED, STICK_TIME
from ..entries import Entries, across, along
from ..points import REACH, ContactPoints
from ..response import carry, carry_spread, normal_forces
from ..surfaces.friction import Held
from .faces import Faces
from .near import NearPairs, Search
from .touching import feet, touching_corners, touching_edges

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]

FAR = 0.5  # element sizes from a collider's edge up to which a place counts as about to touch
APART = 0.4  # element sizes between contact points: edges of the body shorter than this stand for less than a point does
OUTSIDE = 2.0  # element sizes by which what is seen may lie outside the nodes


@dataclass
class EdgedCollider:
    """What edges of a collider are asked for: its field, its number, and its sharp edges by their own corners.

    vertices (v,) : those of the field's corners that are used
    sharp         : in numbers among these
    first (v + 1,), ends : sharp edges lead from corner i to ends[first[i]:first[i + 1]]
    """

    field: Field
    number: int
    vertices: NDArray[np.int64]
    sharp: Sharp
    first: NDArray[np.int64]
    ends: IntArray

    @classmethod
    def of(cls, field: Field, number: int, sharp: Sharp) -> "EdgedCollider":
        """That of a field's sharp edges."""
        vertices = np.unique(np.concatenate([sharp.ends.ravel(), sharp.wings.ravel(), np.int32([-1])]))[1:].astype(np.int64)
        rank = np.full(int(vertices.max()) + 2, -1, dtype=np.int32)
        rank[vertices] = np.arange(len(vertices))
        ends = rank[sharp.ends]
        both = np.concatenate([ends, ends[:, ::-1]])
        both = both[np.argsort(both[:, 0], kind="stable")]
        first = np.searchsorted(both[:, 0], np.arange(len(vertices) + 1))
        return cls(field, number, vertices, Sharp(ends, rank[sharp.wings]), first, np.ascontiguousarray(both[:, 1]))

    def corners(self, time: float) -> tuple[Array, float]:
        """Where they are (v, 3) at a time [s], and how far outside of them the surface is [m]."""
        places, offset = self.field.corners(time)
        return np.ascontiguousarray(places[self.vertices]), offset


@dataclass
class EdgedBody:
    """What edges of one body touch: its range of nodes, its first tet, the number of its first contact point, its faces.

    `build` makes these when a sharp edge comes near for the first time; from the places at which the tables of the
    simulation were made, so that a resumed bake gets the same ones.
    """

    nodes: slice
    first_tet: int
    point: int
    build: Callable[[], Faces | None]
    faces: Faces | None = None
    built: bool = False

    def asked(self) -> Faces | None:
        """Its faces."""
        if not self.built:
            self.faces, self.built = self.build(), True
        return self.faces


@dataclass
class Meeting:
    """One body and one collider that come near each other in a step.

    begun (p, 3) : where the body's points of `pairs` were when the step began; corners (v, 3) then and now [m]
    """

    body: EdgedBody
    number: int
    collider: EdgedCollider
    pairs: NearPairs
    begun: Array
    then: Array
    now: Array
    offset: float


class EdgeContacts:
    """Contacts of colliders' sharp edges with bodies over one step: near pairs once, planes at every call of `linearize`.

    held is what sticks, by the numbers (collider, body, edge or corner of the collider, edge of the body).
    """

    def __init__(
        self, bodies: list[EdgedBody], points: ContactPoints, colliders: list[EdgedCollider], meets: NDArray[np.bool_], holds: bool
    ) -> None:  # fmt: skip
        """points and meets (colliders, points) as in Contacts; `holds`: whether what sticks is remembered."""
        self.bodies, self.points, self.colliders, self.meets, self.holds = bodies, points, colliders, meets, holds
        self.searches: dict[tuple[int, int], Search] = {}
        self.meetings: list[Meeting] = []
        self.held = Held()
        self.time, self.step = 0.0, 0.0

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """What a checkpoint keeps."""
        return {"edges_" + name: values for name, values in self.held.arrays().items()}

    def restore(self, arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """Take `arrays` back; what sticks is forgotten where there are none."""
        own = {name.removeprefix("edges_"): values for name, values in arrays.items() if name.startswith("edges_")}
        self.held = Held.from_arrays(own) if own else Held()

    def begin_step(self, start: Array, guess: Array, time: float, step: float) -> None:
        """Find what may touch in the step that ends at `time`, from node positions (n, 3) at its start and guessed end."""
        self.time, self.step, self.meetings = time, step, []
        for collider in self.colliders:
            now, offset = collider.corners(time)
            then = now if collider.field.still else collider.corners(time - step)[0]
            for number, body in enumerate(self.bodies):
                if self.meets[collider.number, body.point]:
                    self._meet(number, collider, (start[body.nodes], guess[body.nodes]), (then, now), offset)

    def _meet(self, number: int, collider: EdgedCollider, nodes: tuple[Array, Array], corners: tuple[Array, Array], offset: float) -> None:
        """Note what of a body, whose nodes go between two places, may touch a collider, whose corners do so too."""
        body = self.bodies[number]
        element = float(self.points.size[body.point])
        low, high = (np.stack([side.min(axis=0) for side in nodes]).min(axis=0), np.stack([side.max(axis=0) for side in nodes]).max(axis=0))
        other_low, other_high = (np.stack([getattr(side, name)(axis=0) for side in corners]) for name in ("min", "max"))
        room = OUTSIDE * element + offset
        if (low > other_high.max(axis=0) + room).any() or (other_low.min(axis=0) > high + room).any():
            return
        faces = body.asked()
        if faces is None:
            return
        key = (number, collider.number)
        if key not in self.searches:
            self.searches[key] = Search(faces, collider.sharp, corners[0])
        begun, ended = (faces.carried.places(side) for side in nodes)
        pairs = self.searches[key].near((begun, corners[0]), (ended, corners[1]), element, offset)
        if len(pairs):
            begun = np.ascontiguousarray(begun[pairs.points])
            self.meetings.append(Meeting(body, number, collider, pairs, begun, *corners, offset))
