"""Reading a bake whose vertices stay the same, for the formats that know no other."""

from collections.abc import Iterator

import bpy
import numpy as np
from numpy.typing import NDArray

from ....solver.errors import UnsupportedExportError
from ..mesh_topology import fill_mesh
from ..result_mesh import RESULT_OF
from ..units import metres_per_unit
from ..vertex_groups import fill_vertex_groups
from .contract import ExportJob


def frames_of(job: ExportJob, item: bpy.types.Object) -> Iterator[tuple[int, NDArray[np.float32]]]:
    """Yield (frame, positions (n, 3) in Blender units, relative to the object).

    Raises UnsupportedExportError at the first frame whose topology is another one.
    """
    scale = np.float32(1.0 / metres_per_unit(job.scene))
    topology = job.store.read_body_frame(job.frames[0], item[RESULT_OF]).topology
    for number in range(job.frames[0], job.frames[1] + 1):
        frame = job.store.read_body_frame(number, item[RESULT_OF])
        if frame.topology != topology:
            raise UnsupportedExportError(
                "Its vertices change here, and this format needs the same ones in every frame.",
                body=item.name,
                frame=number,
                remedy="Export Alembic or USD, or bake it with Refine Surface, Merge and Tear Below off.",
            )
        yield number, frame.positions * scale


def require_constant(job: ExportJob) -> None:
    """Raise UnsupportedExportError if any body's topology changes, before anything is made."""
    for item in job.results:
        for _ in frames_of(job, item):
            pass


def still_copy(job: ExportJob, item: bpy.types.Object, suffix: str) -> bpy.types.Object:
    """Return a copy of a result, with its modifiers and materials, that stands at the first frame and plays no cache."""
    first = job.store.read_body_frame(job.frames[0], item[RESULT_OF])
    topology = job.store.read_topology(first.uid, first.topology)
    copy = item.copy()
    copy.name = f"{item.name} {suffix}"
    copy.data = item.data.copy()
    copy.data.name = copy.name
    for owner in (copy, copy.data):
        for key in [key for key in owner.keys() if key.startswith("dollop_")]:  # noqa: SIM118  not a mapping
            del owner[key]
    fill_mesh(copy.data, topology, first.positions * np.float32(1.0 / metres_per_unit(job.scene)))
    fill_vertex_groups(copy, topology.vertex_groups)
    for home in item.users_collection:
        home.objects.link(copy)
    return copy
