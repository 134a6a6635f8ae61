"""Running a kernel over ranges of points on several threads.

Each point's result depends on nothing else, so the bytes are the same on any number of threads; and a plain kernel
compiles several times faster than one with parallel loops, which counts before the first frame.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numba

CHUNK = 2048


def in_chunks(kernel: Callable[..., None], count: int, *arguments: object) -> None:
    """Call kernel(first, last, *arguments) over all of range(count), on as many threads as numba is set to use."""
    threads = numba.get_num_threads()
    if count <= CHUNK or threads == 1:
        kernel(0, count, *arguments)
        return
    with ThreadPoolExecutor(threads) as pool:
        jobs = [pool.submit(kernel, first, min(first + CHUNK, count), *arguments) for first in range(0, count, CHUNK)]
        for job in jobs:
            job.result()
