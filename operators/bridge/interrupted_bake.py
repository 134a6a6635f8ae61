"""What the cache of a bake that was killed says of itself: a child that dies cannot write it any more."""

from pathlib import Path

from ...solver.cache import FrameStore
from ...solver.errors import SolverError


def settle_status(folder: Path, status: str) -> None:
    """Let a cache that is still said to be baking say how its bake ended: "cancelled" or "failed".

    One that cannot be opened, or that another bake writes by now, is left as it is; whoever reads it is told so.
    """
    try:
        if FrameStore.open(folder).manifest.get("status") == "baking":
            with FrameStore.open(folder, writable=True) as store:
                store.update_manifest(status=status)
    except SolverError:
        return
