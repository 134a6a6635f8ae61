"""Numbers for formulas that are compiled for float32 and for float64 alike.

A Python literal is a float64 to numba and would drag float32 arithmetic up with it. These are float32 and exact, so either
precision keeps its own type; a constant that is not exact is written as a quotient of these and a variable. Nothing here
needs numba, so that a material can be declared, and read by Blender, without it.
"""

import numpy as np

ZERO, ONE, TWO, THREE, FOUR, FIVE, SIX = (np.float32(value) for value in range(7))
TWELVE = np.float32(12)
HALF, QUARTER, THREE_QUARTERS = np.float32(0.5), np.float32(0.25), np.float32(0.75)
THREE_HALVES = np.float32(1.5)
TINY = np.float32(1e-30)  # keeps a quotient finite; its own rounding is of no matter


def logarithm(x):  # type: ignore[no-untyped-def]
    """log(x); in tiles one that is done on many lanes at once (solver/jit/scalar_math.py)."""
    return np.log(x)
