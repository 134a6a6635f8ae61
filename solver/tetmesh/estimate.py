"""How many tets a resolution will give, before meshing. numpy only and instant, for the panel."""

import numpy as np

from ..geometry.measures import area_vectors, signed_volumes
from ..scene import Surface

TETS_PER_CELL = 12.0  # of the body-centred cubic lattice
# A cell's face of surface costs this many tets more than half the cut ones save; fitted to cages of round and boxy bodies.
TETS_PER_FACE = 2.0


def estimated_tet_count(surface: Surface, element_size: float) -> int:
    """Return about how many tets a cage of cells of `element_size` [m] has.

    Exact counts need the cage. The volume is that of the divergence theorem, so faces that point both ways at random
    make it too small.
    """
    if not len(surface.triangles) or not element_size > 0.0:
        return 0
    areas = area_vectors(surface.positions, surface.triangles)
    area = float(np.sqrt((areas * areas).sum(axis=1)).sum())
    volume = abs(float(signed_volumes(surface.positions, surface.triangles).sum()))
    cells, faces = volume / element_size**3, area / element_size**2
    return round(TETS_PER_CELL * cells + TETS_PER_FACE * faces)
