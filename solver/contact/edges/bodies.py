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
    if not len(contacts.points.tets) or not any(
        field.sharp is not None and field.sharp.among(body.element_size) for field in contacts.fields for body in bodies
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
        edged.append(EdgedBody(slice(c, d), point, build, bodies[body].element_size))
    return EdgeContacts(edged, contacts.points, contacts.fields, contacts.meets, contacts.holds)
