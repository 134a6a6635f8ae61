"""Bodies a few of whose tets are replaced: what a simulation goes on with, and the record by which it does."""

from collections.abc import Mapping
from dataclasses import replace

from ..embedding import evaluate
from ..topology.body_change import BodyChange, replaced
from ..topology.change import TopologyChange
from .carrying_over import counts_flow, with_first_material
from .discretization import Discretization
from .patch import Patch
from .remeshing import Remeshing
from .transfer import body_state, joined_states


def patched(
    remeshing: Remeshing, present: Discretization, patches: Mapping[int, Patch], step: float
) -> tuple[Discretization, TopologyChange]:
    """Return the discretization with patches in some bodies, by number, and the change; step [s] is the last one.

    All that does not lie on them keeps every bit; what is seen stays, bound anew where its tets have gone.
    """
    states, records = [], dict[int, BodyChange]()
    for index in range(len(remeshing.scene.bodies)):
        state = with_first_material(body_state(present.state, present.ranges, index), remeshing.bodies)
        if (part := patches.get(index)) is not None:
            seen, contacts = present.seen(index), present.contacts[index]
            bound = part.bound(present.surfaces[index], seen.positions)
            places = evaluate(contacts, state.tets, state.positions)
            records[index] = BodyChange(seen, bound, part.bound(contacts, places), tets=part)
            state = part.state(state, step, counts_flow(remeshing.bodies, state))
        states.append(state)
    mesh, surfaces = replaced(present, records, remeshing.alive.tolist(), remeshing.uids)
    state, ranges = joined_states(states)
    mesh = replace(mesh, state=state, ranges=ranges, covered=())
    return mesh, TopologyChange.of_new_tets(present.ranges, ranges, patches, surfaces)
