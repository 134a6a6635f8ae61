"""Functions of scalars that consist of products, quotients and selections only, so that they are done on many lanes at once.

They are traced, not called (tile_code.py), so that a constant takes the precision of what it meets.
"""

from ..constants import FOUR, HALF, ONE, QUARTER, TWO, ZERO

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
    """log(s) for 1/180 < s < 180, to rounding: s brought by powers of two, exactly, to 0.7 .. 1.4, then 2 artanh."""
    r, shift = s, s * ZERO
    for _ in range(3):
        high, low = r > TWO, r < HALF
        r = r * (QUARTER if high else (FOUR if low else ONE))
        shift = shift + (TWO if high else (-TWO if low else ZERO))
    high, low = r > 1.4142135623730951, r < 0.7071067811865476
    r = r * (HALF if high else (TWO if low else ONE))
    shift = shift + (ONE if high else (-ONE if low else ZERO))
    x = (r - ONE) / (r + ONE)
    x2 = x * x
    series = 1.0 / 21.0
    series = 1.0 / 19.0 + x2 * series
    series = 1.0 / 17.0 + x2 * series
    series = 1.0 / 15.0 + x2 * series
    series = 1.0 / 13.0 + x2 * series
    series = 1.0 / 11.0 + x2 * series
    series = 1.0 / 9.0 + x2 * series
    series = 1.0 / 7.0 + x2 * series
    series = 1.0 / 5.0 + x2 * series
    series = 1.0 / 3.0 + x2 * series
    return shift * 0.6931471805599453 + TWO * x * (ONE + x2 * series)
