"""How the machine's time is shared between the window and the processes beside it."""

import contextlib
import os
import subprocess

_NICENESS = 10

# Windows sets it where a process is made
CREATION_FLAGS = getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0)


def put_behind_window(process: int) -> None:
    """Let the process, and what it will start, wait where the window wants the processor; given when it was just started.

    Where a kernel groups processes by session, the child's session is a group of its own, and gets no more than the window's.
    """
    if hasattr(os, "setpriority"):
        with contextlib.suppress(OSError):  # it may have ended already
            os.setpriority(os.PRIO_PROCESS, process, max(_NICENESS, os.getpriority(os.PRIO_PROCESS, process)))


def threads_beside_window() -> int:
    """Return how many threads leave one core to the window."""
    if hasattr(os, "sched_getaffinity"):
        available = len(os.sched_getaffinity(0))
    else:
        available = os.cpu_count() or 1
    return max(1, available - 1)
