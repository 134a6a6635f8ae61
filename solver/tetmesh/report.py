"""What a tetrahedral mesh is worth: its shape, and how well it follows the artist's surface."""

from dataclasses import dataclass

import numpy as np

from ..errors import MeshingError, PlacedWarning
from ..geometry.measures import box_middle
from ..scene import Surface
from .boundary import face_table
from .mesh import TetMesh
from .quality import minimum_dihedrals, tet_volumes

SLIVER = 5.0  # [deg]


@dataclass(frozen=True)
class MeshReport:
    """The figures an artist is shown.

    tets              : how many
    minimum_dihedral  : smallest dihedral angle [deg]
    surface_error     : largest distance of an artist's vertex from the boundary [m], those buried inside left out
    surface_error_rms : root mean square of the same distances [m]
    volume_error      : tets against what the surface encloses, as a fraction of the latter [-]
    element_size      : edge of a lattice cell, or edge length asked of tetgen [m]
    components        : pieces that do not touch
    outside_fraction  : share of the artist's vertices clearly (over half an element) outside every tet
    """

    tets: int
    minimum_dihedral: float
    surface_error: float
    volume_error: float
    element_size: float
    surface_error_rms: float
    components: int
    outside_fraction: float


def mesh_report(mesh: TetMesh, surface: Surface, element_size: float) -> MeshReport:
    """Return the report on a mesh made from a surface."""
    from ..geometry.tet_location import locate
    from ..geometry.triangle_tree import closest_points, triangle_tree
    from .enclosed import Enclosure
    from .manifold import components

    middle = box_middle(surface.positions)
    positions = mesh.positions - middle
    vertices = surface.positions[np.unique(surface.triangles)] - middle
    inside = locate(positions, mesh.tets, vertices)[0] >= 0
    distance = closest_points(triangle_tree(positions, face_table(mesh.tets).boundary), vertices).distance
    shape = Enclosure(surface)
    counted = distance[~inside | shape.exposed()]
    volume = float(tet_volumes(positions, mesh.tets).sum())
    enclosed = shape.volume()
    return MeshReport(
        tets=len(mesh.tets),
        minimum_dihedral=float(minimum_dihedrals(mesh).min()),
        surface_error=float(counted.max(initial=0.0)),
        volume_error=abs(volume - enclosed) / enclosed if enclosed > 0 else 1.0,
        element_size=element_size,
        surface_error_rms=float(np.sqrt((counted**2).mean())) if len(counted) else 0.0,
        components=int(components(mesh.tets).max()) + 1,
        outside_fraction=float((~inside & (distance > 0.5 * element_size)).mean()),
    )


def sliver_warning(mesh: TetMesh, name: str) -> str:
    """Return a sentence on the flattest tet of a body and what to do about it; nothing where all angles are over SLIVER.

    The cage never has such tets: a conforming mesh has them where the artist's own faces are thin or meet at a sharp angle.
    """
    angles = minimum_dihedrals(mesh)
    worst = int(angles.argmin())
    if angles[worst] >= SLIVER:
        return ""
    x, y, z = mesh.positions[mesh.tets[worst]].mean(axis=0)
    message = f"{int((angles < SLIVER).sum())} of its tets are slivers, the flattest with an angle of {angles[worst]:.2g}°."
    remedy = "Set Filling to Cage, whose angles are over 10°, or make thin faces and sharp edges there blunter."
    place = f"at ({x:.3g}, {y:.3g}, {z:.3g}) m"
    sentence = str(MeshingError(message, body=name, place=place, remedy=remedy))
    return PlacedWarning(sentence, body=name, place=place)
