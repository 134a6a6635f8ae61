"""Numbers for formulas that are compiled for float32 and for float64 alike.

A Python literal is a float64 to numba and would drag float32 arithmetic up with it. These are float32 and exact, so either
precision keeps its own type; a constant that is not exact is written as a quotient of these and a variable.
"""

import numpy as np

ZERO, ONE, TWO, THREE, FOUR = (np.float32(value) for value in (0, 1, 2, 3, 4))
HALF, QUARTER = np.float32(0.5), np.float32(0.25)
THREE_HALVES = np.float32(1.5)
TINY = np.float32(1e-30)  # keeps a quotient finite; its own rounding is of no matter
