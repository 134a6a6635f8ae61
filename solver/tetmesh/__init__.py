"""Tetrahedral meshes: making them from an artist's surface, and judging them."""

from ..errors import MeshingError
from ..scene import Body
from .mesh import TetMesh
from .report import MeshReport, mesh_report, sliver_warning

__all__ = ["MeshReport", "TetMesh", "mesh_report", "sliver_warning", "tetrahedralize"]


def tetrahedralize(body: Body) -> tuple[TetMesh, MeshReport]:
    """Return the body's tets, made by its chosen method, and how good they are.

    Raises MeshingError naming the body and a remedy.
    """
    try:
        if body.method == "conforming":
            from .conforming import conforming

            mesh = conforming(body.surface, body.element_size)
        else:
            from .cage import cage

            mesh = cage(body.surface, body.element_size)
    except MeshingError as error:
        raise MeshingError(error.message, body=body.name, place=error.place, remedy=error.remedy) from None
    return mesh, mesh_report(mesh, body.surface, body.element_size)
