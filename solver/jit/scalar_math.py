"""Functions of scalars that consist of products, quotients and selections only, so that they are done on many lanes at once.

They are traced, not called (tile_code.py), so that a constant takes the precision of what it meets.
"""

from ..constants import ONE, QUARTER, TWO
from .tile_symbols import parted

_PADE = (30240.0, 15120.0, 3360.0, 420.0, 30.0)


def exponential(x):  # type: ignore[no-untyped-def]
    """exp(x) for |x| <= 16 (clamped): a (5, 5) Pade quotient of x/4 and two squarings; 4e-16 to |x| = 1, 2e-11 to 3."""
    y = min(max(x, -16.0), 16.0) * QUARTER
    y2 = y * y
    even = _PADE[0] + y2 * (_PADE[2] + y2 * _PADE[4])
    odd = y * (_PADE[1] + y2 * (_PADE[3] + y2))
    r = (even + odd) / (even - odd)
    r = r * r
    return r * r


def logarithm(s):  # type: ignore[no-untyped-def]
    """log(s) of a positive number, to rounding: 2 artanh of its fraction's x = (r - 1)/(r + 1), |x| < 0.172."""
    r, power = parted(s)
    x = (r - ONE) / (r + ONE)
    x2 = x * x
    last = 9 if r.itemsize == 4 else 21
    series = 1.0 / last
    for k in range(last - 2, 1, -2):
        series = 1.0 / k + x2 * series
    return power * 0.6931471805599453 + TWO * x * (ONE + x2 * series)
