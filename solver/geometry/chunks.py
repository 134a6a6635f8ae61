"""Running a kernel over ranges of points on several threads.

Each point's result depends on nothing else, so the bytes are the same on any number of threads; and a plain kernel
compiles several times faster than one with parallel loops, which counts before the first frame.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from itertools import pairwise
from threading import local
from typing import Any

import numba

CHUNK = 512  # points; at a microsecond each, far above the cost of handing a chunk over
MOST_BESIDE = 3  # jobs that run beside the one of the thread that asks
LIGHT_CHUNK = 32768  # points at some tens of nanoseconds each: to wake a thread and wait for it takes 0.1 to 0.2 ms
_here = local()  # `threads`: of a thread of Python's to which a job was handed, how many its chunks may take


def _threads() -> int:
    """How many threads chunks may take: of the thread that simulates as many as numba is set to use."""
    return getattr(_here, "threads", 0) or numba.get_num_threads()


def in_chunks(kernel: Callable[..., Any], count: int, *arguments: object) -> list[Any]:
    """Call kernel(first, last, *arguments) over all of range(count), on as many threads as numba is set to use.

    Returns what it returns, part after part.
    """
    threads = _threads()
    if count <= CHUNK or threads == 1:
        return [kernel(0, count, *arguments)]
    # A few chunks a thread even out the load; more would only be handed over.
    size = max(CHUNK, -(-count // (8 * threads)))
    return in_parts(kernel, [(first, min(first + size, count)) for first in range(0, count, size)], *arguments)


def evenly(kernel: Callable[..., Any], count: int, *arguments: object) -> list[Any]:
    """The same in one range a thread, for what is done with a point in a hundredth of that time."""
    threads = _threads() if count > LIGHT_CHUNK else 1
    bounds = [count * k // threads for k in range(threads + 1)]
    return in_parts(kernel, list(pairwise(bounds)), *arguments)


def in_parts(kernel: Callable[..., Any], parts: list[tuple[int, int]], *arguments: object) -> list[Any]:
    """Call kernel(first, last, *arguments) for each of some parts (first, last), on as many threads as numba is set to use.

    The thread that asks works too, and each takes the next part when it has done with one: to hand parts over takes longer.
    """
    threads = _threads() if len(parts) > 1 else 1
    if threads == 1:
        return [kernel(first, last, *arguments) for first, last in parts]
    results, left = [None] * len(parts), iter(enumerate(parts))

    def work() -> None:
        for part, (first, last) in left:
            results[part] = kernel(first, last, *arguments)

    others = [_pool(threads).submit(work) for _ in range(min(threads, len(parts)) - 1)]
    try:
        work()
    finally:
        begun = [other for other in others if not other.cancel()]
        wait(begun)
    for other in begun:
        other.result()
    return results


def side_by_side(*jobs: Callable[[], Any]) -> list[Any]:
    """What some functions return that do not hang on each other, each on a thread of its own. Only the first may run parallel
    kernels: where numba has no OpenMP, two at once end the process.

    With one thread, one after another. The one works on all threads while the other, in numpy, keeps one busy. A job may ask
    for jobs side by side in turn: whoever asks does those himself that nobody has begun, so that none waits for a thread.
    """
    threads = _threads()
    if threads == 1:
        return [job() for job in jobs]
    others = [_beside().submit(_with_threads, threads, job) for job in jobs[1:]]
    try:
        results = [jobs[0]()]
        for job, other in zip(jobs[1:], others, strict=True):
            results.append(job() if other.cancel() else other.result())
    finally:
        wait([other for other in others if not other.cancel()])
    return results


def _with_threads(count: int, job: Callable[[], Any]) -> Any:
    """Do a job whose chunks may take so many threads.

    Its parallel kernels take one: OpenMP keeps threads for each of Python's that ever asked for some, and where they are more
    than cores it lets no thread spin any more, so that from then on kernels on two threads took twice as long.
    """
    numba.set_num_threads(1)
    _here.threads = count
    return job()


@cache
def _beside() -> ThreadPoolExecutor:
    """Threads of their own, so that a job can wait for the chunks that it has handed over."""
    return ThreadPoolExecutor(MOST_BESIDE, thread_name_prefix="dollop-beside")


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    """Threads that are kept: a collider is asked many times a frame."""
    return ThreadPoolExecutor(threads, thread_name_prefix="dollop")
