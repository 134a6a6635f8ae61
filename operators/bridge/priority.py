"""How the machine's time is shared between the window and the processes beside it."""

import contextlib
import os
import subprocess
from pathlib import Path

_NICENESS = 10

# Windows sets it where a process is made
CREATION_FLAGS = getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0)


def put_behind_window(process: int) -> None:
    """Let the process run, and what it will start, only when the window has nothing to do; given when it was just started."""
    if not hasattr(os, "setpriority"):
        return
    with contextlib.suppress(OSError):  # it may have ended already
        os.setpriority(os.PRIO_PROCESS, process, max(_NICENESS, os.getpriority(os.PRIO_PROCESS, process)))
        # A session of its own is a scheduling group of its own on desktop kernels, and niceness counts only inside of one
        group = Path(f"/proc/{process}/autogroup")
        if group.exists():
            group.write_text(str(_NICENESS), encoding="ascii")


def threads_beside_window() -> int:
    """Return how many threads leave one core to the window."""
    if hasattr(os, "sched_getaffinity"):
        available = len(os.sched_getaffinity(0))
    else:
        available = os.cpu_count() or 1
    return max(1, available - 1)
