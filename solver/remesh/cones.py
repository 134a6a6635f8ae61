"""How much of an old tet lies in a new one, for many pairs at once; and weights in new tets.

In barycentric weights the new tet is the corner of space where x, y, z are not negative, up to the plane x + y + z = 1, and its
first corner is the origin. What both share is the signed sum of cones from there over the old tet's faces, cut by the new
tet: the cone to a face where it lies in the new tet, and to its image on that plane where it lies beyond.

A face is kept as its edges, in no order: a plane shortens those that it cuts, and adds one from where they leave to where they
come back. What is asked for is a sum over edges, and the six edges that two faces share are cut once for both. Three faces have
the last corner in common, from which they are measured, so that the edges between these give nothing; beyond the plane an edge
gives one face what it takes from the other; and planes through the origin see nothing of what lies in them but, from along the
third axis, edges in the third of them. So nothing branches, and all lanes of a tile do the same.
"""

from types import SimpleNamespace
from typing import Any

from ..fem.lanes import dot, read
from ..jit import TILE
from ..jit.tile_code import tile_loop, tile_loop_on

T = TILE
CORNERS, SHARE = 0, 12  # slots: the weights (3) of four corners, and what is found
SLOTS = 13
PLACE, WEIGHT = 0, 3  # slots of nodes: where they are (3) and their four weights in a tet
NODE_SLOTS = 7

# Weights by which the tet counts as larger. What lies on a face of it, as new boundaries do on old ones, has a rounding error
# for a weight; the planes that cut are this far from there, so that one edge leaves and one comes back.
AROUND = 2.0**-18

EDGES = (0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)
BELOW = 3  # the plane that is not an axis' own
PLANES = 0, 1, 2, BELOW
LAST, BASE = 3, 3  # the face that the others' corner is not on, and how many edges it has: the first ones
# The edges of each face, counter-clockwise seen from outside, and whether it goes along or against them
FACES = (
    ((1, True), (5, True), (4, False)), ((3, True), (5, False), (2, True)),
    ((0, True), (4, True), (3, False)), ((2, False), (1, False), (0, False)),
)  # fmt: skip


@tile_loop
def weigh(w, x, y, z, a0, a1, a2, b0, b1, b2, c0, c1, c2):  # type: ignore[no-untyped-def]
    """WEIGHT := a node's weights in a tet whose first corner is (x, y, z), by the rows that give those of its other corners,
    and the first corner's."""
    for i in range(T):
        place = read(w, i, PLACE, 3)
        way = (place[0] - x, place[1] - y, place[2] - z)
        along = dot((a0, a1, a2), way), dot((b0, b1, b2), way), dot((c0, c1, c2), way)
        for axis in range(3):
            w[(WEIGHT + axis) * T + i] = along[axis]
        w[(WEIGHT + 3) * T + i] = 1.0 - along[0] - along[1] - along[2]


@tile_loop_on(1)  # it holds more numbers than there are registers: two vectors at once take longer
def shares(w):  # type: ignore[no-untyped-def]
    """SHARE := the old tet's share of the new one, negative where it has turned inside out."""
    for i in range(T):
        w[SHARE * T + i] = _share([read(w, i, CORNERS + 3 * n, 3) for n in range(4)])


def _share(corners):  # type: ignore[no-untyped-def]
    """Face by face, so that few numbers are under way at once; and a face's edges together, as each waits for divisions."""
    faces = [_Face(edges) for edges in FACES]
    kept: dict[int, Any] = {}
    around, below, beyond = list[Any](), list[Any](), list[Any]()
    for number, face in enumerate(faces):
        fresh = [edge for edge, _ in face.edges if edge not in kept]
        beside = [[(other, way) for other in faces for one, way in other.edges if one == edge] for edge in fresh]
        left = [(corners[EDGES[edge][0]], corners[EDGES[edge][1]]) for edge in fresh]
        for plane in PLANES:
            left = [_cut(*one, plane, *theirs).kept for one, theirs in zip(left, beside, strict=True)]
        kept |= dict(zip(fresh, left, strict=True))
        closing: list[Any] = []
        for plane in PLANES:
            parts = [_cut(*one, plane, (face, True)) for one in closing]
            closing = [*(part.kept for part in parts), (face.leaving[plane], face.entering[plane])]
        (a, b), (leaving, entering) = parts[-1].rest, closing[-1]
        beyond += [_image(a, b), _turn(entering, leaving, 0, 1) * (1.0 + AROUND) ** -2]  # their sums are 1 + AROUND
        (around, below)[number == LAST].extend(_product(*edge) for edge in closing)
    base, last = _totals([_product(*kept[edge]) for edge in range(BASE)]), _totals(below)
    total = dot(corners[3], [p + q for p, q in zip(_totals(around), base, strict=True)])
    total = total + dot(corners[0], [p - q for p, q in zip(last, base, strict=True)])
    return sum(beyond, total)


class _Face:
    """The edges of a face, and where planes have cut it so far: where it leaves what is left, and where it comes back."""

    def __init__(self, edges):  # type: ignore[no-untyped-def]
        self.edges = edges
        self.leaving, self.entering = ({plane: _without(plane, (0.0, 0.0, 0.0)) for plane in PLANES} for _ in range(2))


def _cut(a, b, plane, *beside):  # type: ignore[no-untyped-def]
    """What a plane makes of an edge; each face beside it, along or against which it runs, hears where it is cut."""
    part = _parts(a, b, plane)
    for face, along in beside:
        leaves, enters = ((part.enters, part.leaves), (part.leaves, part.enters))[along]
        face.leaving[plane] = _chosen(leaves, part.crossing, face.leaving[plane])
        face.entering[plane] = _chosen(enters, part.crossing, face.entering[plane])
    return part


def _parts(a, b, plane):  # type: ignore[no-untyped-def]
    """What a plane makes of an edge from a to b: what is left of it, what goes, where it crosses; whether it leaves, or enters.

    An edge, or a crossing, that is not there is left as the origin.
    """
    at_a, at_b = _weight(a, plane), _weight(b, plane)
    has_a, has_b = at_a >= 0.0, at_b >= 0.0
    way = at_a / (at_a - at_b)
    cut = has_a != has_b
    crossing = tuple(_between(p, q, way, cut) for p, q in zip(_without(plane, a), _without(plane, b), strict=True))
    kept = _chosen(has_a, a, crossing), _chosen(has_b, b, crossing)
    rest = _chosen(has_a, crossing, a), _chosen(has_b, crossing, b)
    return SimpleNamespace(kept=kept, rest=rest, crossing=crossing, leaves=has_a & ~has_b, enters=has_b & ~has_a)


def _weight(point, plane):  # type: ignore[no-untyped-def]
    """How far a point is on this side of a plane, and AROUND."""
    if plane == BELOW:
        return (1.0 + AROUND * (1 + sum(x is None for x in point))) - _sum(point)
    return point[plane] + AROUND


def _without(plane, point):  # type: ignore[no-untyped-def]
    """A point of the plane: of a coordinate that is the same everywhere there, -AROUND, nothing is asked."""
    return tuple([x, None][axis == plane] for axis, x in enumerate(point))


def _between(p, q, way, cut):  # type: ignore[no-untyped-def]
    """A coordinate so much of the way from p to q, where an edge is cut."""
    if p is None or q is None:
        return None
    return (p + way * (q - p)) if cut else 0.0


def _sum(values):  # type: ignore[no-untyped-def]
    """The sum of those that there are."""
    known = [value for value in values if value is not None]
    return sum(known[1:], known[0])


def _totals(vectors):  # type: ignore[no-untyped-def]
    """The sum of some vectors."""
    return [_sum(terms) for terms in zip(*vectors, strict=True)]


def _product(a, b):  # type: ignore[no-untyped-def]
    """a x b; None where it is nothing."""
    return tuple(_turn(a, b, p, q) for p, q in ((1, 2), (2, 0), (0, 1)))


def _turn(a, b, p, q):  # type: ignore[no-untyped-def]
    if a[p] is None or a[q] is None:
        return None
    return a[p] * b[q] - a[q] * b[p]


def _image(a, b):  # type: ignore[no-untyped-def]
    """What the image of an edge on the plane x + y + z = 1 gives; beyond it sums are 1 and more, but where edges are gone."""
    return (a[0] * b[1] - a[1] * b[0]) / max(_sum(a) * _sum(b), 1.0)


def _chosen(first, a, b):  # type: ignore[no-untyped-def]
    """Point a or b."""
    return tuple(_one_of(first, p, q) for p, q in zip(a, b, strict=True))


def _one_of(first, p, q):  # type: ignore[no-untyped-def]
    if p is None and q is None:
        return None
    if p is None:
        p = -AROUND
    if q is None:
        q = -AROUND
    return p if first else q
