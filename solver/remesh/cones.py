"""How much of a tet lies between one of its corners and a triangle, for many triangles at once; and weights in it.

In barycentric weights a tet is the corner of space where x, y, z are not negative, up to the plane x + y + z = 1, and its
first corner is the origin. The cone from there to a triangle, cut by the tet, is the cone to the triangle where it lies in the
tet, and to its image on that plane where it lies beyond. A polygon is kept as its edges, in no order: a plane shortens those
that it cuts, and adds one from where they leave to where they come back. What is asked for is a sum over edges. So nothing
branches, all lanes of a tile do the same, and a triangle on a face of the tet gives the same from either side but for rounding.
"""

from ..fem.lanes import cross, dot, read
from ..jit import TILE
from ..jit.tile_code import tile_loop, tile_loop_on

T = TILE
CORNERS, CONE = 0, 9  # slots: three corners (9), and what is found
SLOTS = 10
PLACE, WEIGHT = 0, 3  # slots of nodes: where they are (3) and their four weights in a tet
NODE_SLOTS = 7

# Weights by which the tet counts as larger. What lies on a face of it, as new boundaries do on old ones, has a rounding error
# for a weight; the planes that cut are this far from there, so that one edge leaves and one comes back.
AROUND = 2.0**-46


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


@tile_loop_on(1)  # it holds more numbers than there are registers: two vectors at once take a third longer
def cones(w):  # type: ignore[no-untyped-def]
    """CONE := the cone's share of the tet, with the sign that the triangle's corners have around the origin."""
    for i in range(T):
        first, second, third = read(w, i, CORNERS, 3), read(w, i, CORNERS + 3, 3), read(w, i, CORNERS + 6, 3)
        w[CONE * T + i] = _cone(first, second, third)


def _cone(first, second, third):  # type: ignore[no-untyped-def]
    edges = [(first, second), (second, third), (third, first)]
    for weight in (_along_x, _along_y, _along_z):
        edges = _parts(edges, weight)[0]
    below, beyond = _parts(edges, _below)
    total = 0.0
    for a, b in below:
        total = total + dot(first, cross(a, b))
    for a, b in beyond:
        # Beyond the plane the sums are 1 and more, but for edges that are gone
        total = total + (a[0] * b[1] - a[1] * b[0]) / max((a[0] + a[1] + a[2]) * (b[0] + b[1] + b[2]), 1.0)
    return total


def _along_x(point):  # type: ignore[no-untyped-def]
    return point[0] + AROUND


def _along_y(point):  # type: ignore[no-untyped-def]
    return point[1] + AROUND


def _along_z(point):  # type: ignore[no-untyped-def]
    return point[2] + AROUND


def _below(point):  # type: ignore[no-untyped-def]
    return (1.0 + AROUND) - (point[0] + point[1] + point[2])


def _parts(edges, weight):  # type: ignore[no-untyped-def]
    """The edges of a convex polygon, each two points, of the part where a weight of its points is not
    negative, and of the rest.

    An edge that is gone is left as the origin twice.
    """
    kept, rest, leaving, entering = [], [], (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for a, b in edges:
        at_a, at_b = weight(a), weight(b)
        has_a, has_b = at_a >= 0.0, at_b >= 0.0
        way = at_a / (at_a - at_b)
        cut = has_a != has_b
        crossing = tuple((p + way * (q - p)) if cut else 0.0 for p, q in zip(a, b, strict=True))
        kept.append((_chosen(has_a, a, crossing), _chosen(has_b, b, crossing)))
        rest.append((_chosen(has_a, crossing, a), _chosen(has_b, crossing, b)))
        leaving = _chosen(has_a & ~has_b, crossing, leaving)
        entering = _chosen(has_b & ~has_a, crossing, entering)
    return [*kept, (leaving, entering)], [*rest, (entering, leaving)]


def _chosen(first, a, b):  # type: ignore[no-untyped-def]
    """Point a or b."""
    return tuple(p if first else q for p, q in zip(a, b, strict=True))
