"""Work that only the window's thread can do, in small steps: a few between the window's events, or all at once.

Steps are a generator that yields a word on what it is doing and returns its result. Between two steps Blender may draw, so
no step keeps evaluated data for the next one.
"""

import time
from collections.abc import Generator
from typing import Generic, TypeVar

Result = TypeVar("Result")
Steps = Generator[str, None, Result]

SLICE = 0.02  # seconds of a window's beat that steps may take; a single step may take longer


class Sliced(Generic[Result]):
    """Steps that are taken a slice at a time.

    doing : what the next step is about, for the artist; result : what the steps returned, once they are done
    """

    result: Result

    def __init__(self, steps: Steps[Result]) -> None:
        self._steps = steps
        self.doing = ""

    def go_on(self, seconds: float) -> bool:
        """Take at least one step, and no more once `seconds` are over; True at the end. Raises what a step raises."""
        until = time.perf_counter() + seconds
        while True:
            try:
                self.doing = next(self._steps)
            except StopIteration as end:
                self.result = end.value
                return True
            if time.perf_counter() >= until:
                return False

    def close(self) -> None:
        """Take no more steps; what was changed for them is put back."""
        self._steps.close()


def finished(steps: Steps[Result]) -> Result:
    """Take all steps at once and return their result."""
    sliced = Sliced(steps)
    sliced.go_on(float("inf"))
    return sliced.result
