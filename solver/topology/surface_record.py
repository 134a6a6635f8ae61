"""What the cache takes of a change: the topology record of a surface after it, from those before."""

from collections.abc import Callable

from ..cache.topology import SurfaceTopology
from ..frame import SurfaceChange
from ..merging.joined_topology import emptied, joined_topology
from ..tearing.cut_topology import cut_topology
from ..tet_surface.record import laid_topology


def record_after(change: SurfaceChange, known: Callable[[str, int], SurfaceTopology]) -> SurfaceTopology:
    """Return the record of a body's surface after a change, given what tells those before by uid and number.

    Raises CacheError where these do not fit the change.
    """
    record = known(change.uid, change.topology - 1)
    for uid, topology in change.taken:
        record = joined_topology(record, known(uid, topology))
    if change.cut is None:
        return record if change.taken else emptied(record)
    return (cut_topology if change.cut.laid is None else laid_topology)(record, change.cut)
