"""Functions of scalars that vanish into a kernel, for float32 and float64 (solver/constants.py).

`logarithm` and `exponential` consist of products, quotients and selections only, so that a loop over them is vectorised.
"""

import numpy as np
from numba import types
from numba.extending import intrinsic, overload

from . import constants
from .constants import FOUR, HALF, ONE, QUARTER, TWO, ZERO
from .jit import inline

_PADE = tuple(np.float32(value) for value in (30240, 15120, 3360, 420, 30))


@intrinsic  # type: ignore[untyped-decorator]
def like(_context, x, value):  # type: ignore[no-untyped-def]
    """`value` in the type of `x`."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return context.cast(builder, arguments[1], signature.args[1], signature.return_type)

    return (x(x, value), generate) if isinstance(x, types.Float) else None


@inline
def exponential(x):  # type: ignore[no-untyped-def]
    """exp(x) for |x| <= 16 (clamped): a (5, 5) Pade quotient of x/4 and two squarings; 4e-16 to |x| = 1, 2e-11 to 3."""
    y = min(max(x, like(x, -16.0)), like(x, 16.0)) * QUARTER
    y2 = y * y
    even = _PADE[0] + y2 * (_PADE[2] + y2 * _PADE[4])
    odd = y * (_PADE[1] + y2 * (_PADE[3] + y2))
    r = (even + odd) / (even - odd)
    r = r * r
    return r * r


@inline
def logarithm(s):  # type: ignore[no-untyped-def]
    """log(s) for 1/180 < s < 180, to rounding: s brought by powers of two, exactly, to 0.7 .. 1.4, then 2 artanh."""
    r, shift = s, s * ZERO
    for _ in range(3):
        high, low = r > TWO, r < HALF
        r = r * (QUARTER if high else (FOUR if low else ONE))
        shift = shift + (TWO if high else (-TWO if low else ZERO))
    high, low = r > like(s, 1.4142135623730951), r < like(s, 0.7071067811865476)
    r = r * (HALF if high else (TWO if low else ONE))
    shift = shift + (ONE if high else (-ONE if low else ZERO))
    x = (r - ONE) / (r + ONE)
    x2 = x * x
    series = like(s, 1.0 / 21.0)
    series = like(s, 1.0 / 19.0) + x2 * series
    series = like(s, 1.0 / 17.0) + x2 * series
    series = like(s, 1.0 / 15.0) + x2 * series
    series = like(s, 1.0 / 13.0) + x2 * series
    series = like(s, 1.0 / 11.0) + x2 * series
    series = like(s, 1.0 / 9.0) + x2 * series
    series = like(s, 1.0 / 7.0) + x2 * series
    series = like(s, 1.0 / 5.0) + x2 * series
    series = like(s, 1.0 / 3.0) + x2 * series
    return shift * like(s, 0.6931471805599453) + TWO * x * (ONE + x2 * series)


@overload(constants.logarithm, jit_options={"forceinline": True, "error_model": "numpy", "fastmath": {"contract"}})
def _constants_logarithm(_x):  # type: ignore[no-untyped-def]
    """What `constants.logarithm` is in compiled code."""
    return lambda _x: logarithm(_x)
