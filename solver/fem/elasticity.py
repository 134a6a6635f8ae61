"""Elasticity in principal stretches: Bargteil 2007 eq 3, a rotated linear material.

Energy density mu |s - 1|^2 + volume, volume either lambda/2 (J - 1)^2 ("quadratic", the default: eq 3's own term lets
a falling body be crushed flat) or lambda/2 (s0 + s1 + s2 - 3)^2 ("linear", eq 3). Both are defined for inverted F.
All are functions of scalars: s the stretches, mu and lam Lame's parameters [Pa], linear 0.0 or 1.0.
"""

from ..jit import inline


@inline
def principal_stress(s0, s1, s2, mu, lam, linear):  # type: ignore[no-untyped-def]
    """Energy density and first Piola-Kirchhoff principal stresses: e, P0, P1, P2."""
    d0, d1, d2 = s0 - 1.0, s1 - 1.0, s2 - 1.0
    trace = d0 + d1 + d2
    dilation = s0 * s1 * s2 - 1.0
    shape = mu * (d0 * d0 + d1 * d1 + d2 * d2)
    measure = trace if linear > 0.5 else dilation
    pressure = lam * measure
    return (
        shape + 0.5 * lam * measure * measure,
        2.0 * mu * d0 + pressure * (1.0 if linear > 0.5 else s1 * s2),
        2.0 * mu * d1 + pressure * (1.0 if linear > 0.5 else s0 * s2),
        2.0 * mu * d2 + pressure * (1.0 if linear > 0.5 else s0 * s1),
    )


@inline
def principal_hessian(s0, s1, s2, mu, lam, linear):  # type: ignore[no-untyped-def]
    """Second derivatives of the energy density: 00, 11, 22, 01, 02, 12."""
    if linear > 0.5:
        return 2.0 * mu + lam, 2.0 * mu + lam, 2.0 * mu + lam, lam, lam, lam
    j0, j1, j2 = s1 * s2, s0 * s2, s0 * s1
    excess = s0 * s1 * s2 - 1.0
    return (
        2.0 * mu + lam * j0 * j0,
        2.0 * mu + lam * j1 * j1,
        2.0 * mu + lam * j2 * j2,
        lam * (j0 * j1 + excess * s2),
        lam * (j0 * j2 + excess * s1),
        lam * (j1 * j2 + excess * s0),
    )


@inline
def log_stiffness(s0, s1, s2, mu, lam, linear):  # type: ignore[no-untyped-def]
    """Kirchhoff stresses tau_i = s_i P_i and their derivatives by log stretches: 3 + 6 (00, 11, 22, 01, 02, 12)."""
    _, p0, p1, p2 = principal_stress(s0, s1, s2, mu, lam, linear)
    h00, h11, h22, h01, h02, h12 = principal_hessian(s0, s1, s2, mu, lam, linear)
    return (
        s0 * p0, s1 * p1, s2 * p2,
        s0 * s0 * h00 + s0 * p0, s1 * s1 * h11 + s1 * p1, s2 * s2 * h22 + s2 * p2,
        s0 * s1 * h01, s0 * s2 * h02, s1 * s2 * h12,
    )  # fmt: skip
