"""The body-centred cubic lattice: cube corners and cube centres, 12 tets a cube, each with dihedral angles 60 and 90.

Points are numbered as in tetmesh.lattice_points. Long edges join neighbours of one kind (length 1 cell),
short ones a centre with the 8 corners of its cube (sqrt(3)/2).
"""

from ..jit import inline, kernel

LONG_DIRECTIONS = 6  # directions 0..5 of a point are long edges, 6..13 short ones
DIRECTIONS = 14


@inline
def corner(lattice, i, j, k):  # type: ignore[no-untyped-def]
    """Number of a cube corner."""
    return (i * (lattice.ny + 1) + j) * (lattice.nz + 1) + k


@inline
def centre(lattice, i, j, k):  # type: ignore[no-untyped-def]
    """Number of a cube centre."""
    corners = (lattice.nx + 1) * (lattice.ny + 1) * (lattice.nz + 1)
    return corners + (i * lattice.ny + j) * lattice.nz + k


@kernel
def coordinates(lattice, point):  # type: ignore[no-untyped-def]
    """Return (i, j, k, is_centre) of a point."""
    corners = (lattice.nx + 1) * (lattice.ny + 1) * (lattice.nz + 1)
    if point < corners:
        row, k = divmod(point, lattice.nz + 1)
        i, j = divmod(row, lattice.ny + 1)
        return i, j, k, 0
    row, k = divmod(point - corners, lattice.nz)
    i, j = divmod(row, lattice.ny)
    return i, j, k, 1


@kernel
def neighbour(lattice, point, direction):  # type: ignore[no-untyped-def]
    """Return the point at the other end of an edge, or -1 outside the block."""
    return neighbour_of(lattice, coordinates(lattice, point), direction)


@inline
def neighbour_of(lattice, place, direction):  # type: ignore[no-untyped-def]
    """The same of a point by its coordinates."""
    i, j, k, is_centre = place
    if direction < 6:
        step = 1 if direction % 2 else -1
        axis = direction // 2
        i, j, k = i + step * (axis == 0), j + step * (axis == 1), k + step * (axis == 2)
        kind = is_centre
    else:
        bits = direction - 6
        # Centre (i, j, k) has the corners i..i+1; corner (i, j, k) the centres i-1..i.
        shift = 0 if is_centre else -1
        i, j, k = i + shift + (bits & 1), j + shift + ((bits >> 1) & 1), k + shift + ((bits >> 2) & 1)
        kind = 1 - is_centre
    inside = i >= 0 and j >= 0 and k >= 0
    if kind:
        inside = inside and i < lattice.nx and j < lattice.ny and k < lattice.nz
        return centre(lattice, i, j, k) if inside else -1
    inside = inside and i <= lattice.nx and j <= lattice.ny and k <= lattice.nz
    return corner(lattice, i, j, k) if inside else -1
