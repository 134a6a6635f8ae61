"""A closed copy of an artist's surface, which can be cut and sewn: as they are handed in, many are open or cross themselves.

Shells are turned outwards, their holes filled between vertices that they have, and united: what of one lies in another goes,
and a shell that lies in none keeps every face. Where a shell passes through itself, all are united exactly, and what is inside
out goes too. A surface that this leaves open or crossing is wrapped (wrapping.py).
"""

import numpy as np
from numpy.typing import NDArray

from ..errors import SceneError
from ..geometry.edge_crossings import passes_through_itself
from ..geometry.edges import unpaired_edges, welded
from ..geometry.hole_filling import holes_filled
from ..geometry.measures import area_vectors, box_middle, signed_volumes, winding_numbers_by_sum
from ..geometry.orientation import oriented
from ..surface import Surface
from .booleans import INNER, Made, self_union, united_solids
from .seams import parted
from .surface_cut import SurfaceCut, change_of, tidied
from .wrapping import wrapped

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]

_Shell = tuple[IntArray, NDArray[np.int64]]  # triangles, and of which old one each is

FINENESS = 4.0  # edges along an element, where a surface is laid anew
FLAT = 1e-4  # volume, against the area to the power of 3/2, below which a shell encloses nothing: a ball has 0.09


def needs_closed_copy(surface: Surface) -> bool:
    """Whether a surface is open, turned inwards, or crosses itself."""
    if unpaired_edges(surface.triangles) or signed_volumes(surface.positions, surface.triangles).sum() <= 0.0:
        return True
    return passes_through_itself(surface.positions, surface.triangles)


def closed_copy(surface: Surface, spacing: float, charts: NDArray[np.int64] | None = None) -> SurfaceCut:
    """Return what makes a surface closed, as a change of it; faces that close its holes are INNER.

    spacing [m] is the length of edges where it must be wrapped; charts (t,) numbers the pieces of its UV map then.
    Raises SceneError where it encloses nothing.
    """
    middle = box_middle(surface.positions)
    old = Surface(surface.positions - middle, welded(surface.positions, surface.triangles))
    made = _united(old, FINENESS * spacing)
    if made is not None:
        cut = change_of(surface, old, middle, made[0])
        cut = parted(cut, FINENESS * spacing) if made[1] else cut
        if not unpaired_edges(cut.triangles) and not (made[1] and passes_through_itself(cut.positions, cut.triangles)):
            return cut
    around = wrapped(surface, spacing, charts)
    if around is None:
        raise SceneError(
            "It cannot tear or merge, for it encloses no volume that could be closed.",
            remedy="Give it one with a Solidify modifier, or set Tear Below to 0 and switch Merge off.",
        )
    return around


def _united(old: Surface, element_size: float) -> tuple[Made, bool] | None:
    """A welded surface's shells closed and united, and of which triangle each is a part; None where one cannot be closed.

    And whether exactly, as one passes through itself; edges shorter than a share of an element [m] are gone then.
    """
    faces = oriented(old.positions, old.triangles)
    solids, cavities, hollows, exactly = list[_Shell](), list[_Shell](), list[_Shell](), False
    for shell in range(int(faces.shell.max(initial=-1)) + 1):
        own = faces.shell == shell
        closing = holes_filled(old.positions, faces.weld[own])
        if closing is None:
            return None
        triangles = np.concatenate([faces.weld[own], closing])
        origin = np.concatenate([faces.source[own], np.full(len(closing), INNER)])
        volume = float(signed_volumes(old.positions, triangles).sum())
        area = float(np.sqrt((area_vectors(old.positions, triangles) ** 2).sum(axis=1)).sum())
        if abs(volume) < FLAT * area**1.5:
            continue
        exactly |= passes_through_itself(old.positions, triangles)
        if volume > 0.0:
            solids.append((triangles, origin))
        else:
            (solids if len(closing) else cavities).append((triangles[:, [0, 2, 1]], origin))
    if not solids:
        return None
    within = np.concatenate([triangles for triangles, _ in solids])
    for cavity in cavities:
        place = old.positions[cavity[0][:1, 0]]
        held = abs(float(winding_numbers_by_sum(old.positions, within, place)[0])) > 0.5
        (hollows if held else solids).append(cavity)
    if exactly:
        made = _exactly(old.positions, [*solids, *((shell[:, [0, 2, 1]], origin) for shell, origin in hollows)], element_size)
    else:
        made = united_solids(old.positions, solids, hollows, len(old.triangles))
    return None if made is None else (made, exactly)


def _exactly(positions: Array, shells: list[_Shell], element_size: float) -> Made | None:
    """The union of shells that may pass through themselves, hollows turned inwards."""
    every = Surface(positions, np.concatenate([triangles for triangles, _ in shells]))
    made = self_union(every, np.ones(len(every.triangles), dtype=bool))
    if made is None:
        return None
    places, triangles, parts = tidied(made, every, element_size)
    origin = np.concatenate([names for _, names in shells])[parts]
    order = np.argsort(np.where(origin == INNER, np.iinfo(np.int64).max, origin), kind="stable")
    return places, triangles[order], origin[order]
