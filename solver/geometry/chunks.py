"""Running a kernel over ranges of points on several threads.

Each point's result depends on nothing else, so the bytes are the same on any number of threads; and a plain kernel
compiles several times faster than one with parallel loops, which counts before the first frame.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numba

CHUNK = 512  # points; at a microsecond each, far above the cost of handing a chunk over


def in_chunks(kernel: Callable[..., Any], count: int, *arguments: object) -> list[Any]:
    """Call kernel(first, last, *arguments) over all of range(count), on as many threads as numba is set to use.

    Returns what it returns, part after part.
    """
    threads = numba.get_num_threads()
    if count <= CHUNK or threads == 1:
        return [kernel(0, count, *arguments)]
    # A few chunks a thread even out the load; more would only be handed over.
    size = max(CHUNK, -(-count // (8 * threads)))
    return in_parts(kernel, [(first, min(first + size, count)) for first in range(0, count, size)], *arguments)


def in_parts(kernel: Callable[..., Any], parts: list[tuple[int, int]], *arguments: object) -> list[Any]:
    """Call kernel(first, last, *arguments) for each of some parts (first, last), on as many threads as numba is set to use."""
    threads = numba.get_num_threads()
    if threads == 1 or len(parts) == 1:
        return [kernel(first, last, *arguments) for first, last in parts]
    jobs = [_pool(threads).submit(kernel, first, last, *arguments) for first, last in parts]
    return [job.result() for job in jobs]


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    """Threads that are kept: a collider is asked many times a frame."""
    return ThreadPoolExecutor(threads, thread_name_prefix="dollop")
