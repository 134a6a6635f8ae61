"""What the bodies of a simulation bring into contact with the edges of colliders."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...embedding import Binding
from ...scene import Body
from ...state import Ranges, Solids, element_size
from ...surface import LARGE_FACE
from ...tetmesh.mesh import TetMesh
from ..contacts import Contacts
from ..surfaces.seen import LONGEST

if TYPE_CHECKING:
    from .edge_contacts import EdgeContacts
    from .faces import Faces


def edge_contacts(
    contacts: Contacts, state: Solids, ranges: Ranges, bodies: Sequence[Body], seen: list[Binding],
    triangles: list[NDArray[np.int32]],
) -> "EdgeContacts | None":  # fmt: skip
    """Contacts of what stands out of colliders with bodies whose surfaces, of triangles (t, 3), are bound as `seen`.

    contacts are those of points, of the same colliders. None where nothing stands out for any body.
    """
    outstanding = [field.sharp for field in contacts.fields if field.sharp is not None]
    if not len(contacts.points.tets) or not any(
        sharp.among(body.element_size, _span(body)) for sharp in outstanding for body in bodies
    ):
        return None
    from .edge_contacts import EdgeContacts
    from .meeting import EdgedBody

    edged, owners = [], contacts.points.bodies
    for body, ((a, b), (c, d)) in enumerate(zip(pairwise(ranges.tets.tolist()), pairwise(ranges.nodes.tolist()), strict=True)):
        mesh = TetMesh(state.positions[c:d].copy(), (state.tets[a:b] - c).astype(np.int32))
        element, binding, faces = element_size(state.volumes[a:b]), seen[body], triangles[body]
        laid, longest = bodies[body].seen == "tets", max(LARGE_FACE * bodies[body].element_size, LONGEST * element)

        def build(
            mesh: TetMesh = mesh, binding: Binding = binding, faces: NDArray[np.int32] = faces, element: float = element,
            laid: bool = laid, longest: float = longest,
        ) -> "Faces | None":  # fmt: skip
            from .faces import Faces

            return Faces.of(mesh, binding, faces, element, laid, longest)

        point = int(np.flatnonzero(owners == body)[0])
        edged.append(EdgedBody(slice(c, d), point, build, bodies[body].element_size, _span(bodies[body])))
    return EdgeContacts(edged, contacts.points, contacts.fields, contacts.meets, contacts.holds)


def _span(body: Body) -> float:
    """How long edges of a body's faces are at most, where these touch whole [m]."""
    return body.element_size if body.seen == "tets" else min(body.surface.longest_edge, LARGE_FACE * body.element_size)
