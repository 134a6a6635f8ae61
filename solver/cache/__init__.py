"""The frame store: one checksummed file a frame, read back with numpy and the standard library alone.

Files of a cache folder (nothing inside names another folder, so it may be moved, copied or played read-only):

    dollop_cache.json                   manifest: versions, scene hash, rate, range, bodies, status (manifest.py)
    dollop_journal.jsonl                one appended line a frame: checksum, statistics, warnings (journal.py)
    frame_000001.dollop.npz             every body's surface at one frame (frame_arrays.py, archive.py)
    topology_<uid>_000000.dollop.npz    polygons, UVs, attributes of one topology record (topology.py)
    checkpoint_000001.dollop.npz        the last two states that a bake can resume from
    dollop.lock                         held while a bake writes (lock.py)
"""

from .frame_store import FrameStore
from .manifest import versions
from .sampling import Sample, sample
from .topology import NamedArray, SurfaceTopology, VertexGroups, topology_of_triangles

__all__ = [
    "FrameStore",
    "NamedArray",
    "Sample",
    "SurfaceTopology",
    "VertexGroups",
    "sample",
    "topology_of_triangles",
    "versions",
]
