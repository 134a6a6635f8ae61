"""Irving 2004, figure 3: the stress that four laws answer with while one stretch goes from 2 through flat into inversion.

The other two stretches are held at 1, so that the smaller one that any law can mistake is seen by itself. Stresses are over
lambda + 2 mu, the slope that all of them have at rest.
"""

import numpy as np

from solver.fem.laws import principal_response

from .chart import Array, Curve, Panel
from .contract import Plot

MU, LAMBDA = 1.0 / 2.6, 0.3 / 0.52  # of Young's modulus 1 and Poisson's ratio 0.3
UNIT = LAMBDA + 2.0 * MU
LIMIT = 0.4  # of compression, where the modified law leaves the neo-Hookean one
SINGULAR = 1e-3  # a limit so small that the modified law is the neo-Hookean one


def stress(law: str, stretch: Array, *parameters: float) -> Array:
    """Principal first Piola-Kirchhoff stress (n,) over lambda + 2 mu along the stretch (n,)."""
    ordered = np.ones((len(stretch), 3))
    place = np.where(stretch > 1.0, 0, 2)  # stretches go from the largest to the smallest
    ordered[np.arange(len(stretch)), place] = stretch
    _, answer, _ = principal_response(law, ordered, MU, LAMBDA, *parameters)
    return answer[np.arange(len(stretch)), place] / UNIT


def _panels() -> list[Panel]:
    stretch, positive = np.linspace(-0.6, 1.8, 481), np.linspace(0.05, 1.8, 701)
    neo_hookean = Curve("neo-Hookean", positive, stress("neo_hookean_linearised", positive, SINGULAR))
    modified = [
        Curve(f"{label} below {LIMIT}", stretch, stress(law, stretch, LIMIT))
        for label, law in (("linear", "neo_hookean_linearised"), ("clamped", "neo_hookean_clamped"))
    ]
    dashed = Curve("neo-Hookean", neo_hookean.x, neo_hookean.y, dashed=True)
    drawn = {
        "St. Venant-Kirchhoff": (Curve("", stretch, stress("st_venant_kirchhoff", stretch)),),
        "Neo-Hookean": (neo_hookean,),
        "Rotated linear": (Curve("", stretch, stress("rotated_linear", stretch)),),
        "Neo-Hookean, modified": (*modified, dashed),
    }
    ticks = ((-0.5, 0.0, 0.5, 1.0, 1.5), (-4.0, -3.0, -2.0, -1.0, 0.0, 1.0))
    return [
        Panel(title, "principal stretch", "stress / (λ + 2μ)", curves, (-0.6, 1.8), (-4.5, 1.6), *ticks)
        for title, curves in drawn.items()
    ]


def _measure() -> dict[str, float]:
    def at(law: str, *places: float, limit: float = 0.0) -> Array:
        return stress(law, np.array(places), limit)

    modified, step = "neo_hookean_linearised", 1e-5
    below, above = (np.array([LIMIT + sign * 2.0 * step, LIMIT + sign * step]) for sign in (-1.0, 1.0))
    slopes = [np.diff(at(modified, *np.sort(places), limit=LIMIT))[0] / step for places in (below, above)]
    falls = np.diff(stress(modified, np.linspace(-1.0, 1.8, 500), LIMIT))
    crushed = np.linspace(0.0, 1.0, 100_001)
    return {
        "St. Venant-Kirchhoff: stretch where it gives way": float(crushed[stress("st_venant_kirchhoff", crushed).argmin()]),
        "St. Venant-Kirchhoff: stress there": float(stress("st_venant_kirchhoff", crushed).min()),
        "St. Venant-Kirchhoff: stress when flat": at("st_venant_kirchhoff", 0.0)[0],
        "St. Venant-Kirchhoff: stress inverted, at -0.5": at("st_venant_kirchhoff", -0.5)[0],
        "neo-Hookean: stress at 0.01": at(modified, 0.01, limit=SINGULAR)[0],
        "rotated linear: stress inverted, at -0.5": at("rotated_linear", -0.5)[0],
        "modified: stress just below its limit / neo-Hookean's": at(modified, LIMIT - step, limit=LIMIT)[0]
        / at(modified, LIMIT - step, limit=SINGULAR)[0],
        "modified: slope below its limit / above": float(slopes[0] / slopes[1]),
        "modified: stress inverted, at -0.5": at(modified, -0.5, limit=LIMIT)[0],
        "modified: least rise of stress, from -1 to 1.8": float(falls.min()),
        "clamped: stress inverted, at -0.5 / at its limit": at("neo_hookean_clamped", -0.5, limit=LIMIT)[0]
        / at("neo_hookean_clamped", LIMIT, limit=LIMIT)[0],
    }


def _near(value: float) -> tuple[float, float]:
    return value - 1e-3 * abs(value) - 1e-9, value + 1e-3 * abs(value) + 1e-9


# Slopes at the limit: the neo-Hookean one, and the straight line's, whose volume term has lost what the logarithm bends
SLOPE = MU * (1.0 + LIMIT**-2) + LAMBDA * (1.0 - np.log(LIMIT)) * LIMIT**-2
LINE = MU * (1.0 + LIMIT**-2) + LAMBDA * LIMIT**-2
AT_LIMIT = MU * (LIMIT - 1.0 / LIMIT) + LAMBDA * np.log(LIMIT) / LIMIT

PLOT = Plot(
    title="Stress against stretch, through inversion",
    source="Irving 2004, figure 3",
    panels=_panels,
    columns=2,
    measure=_measure,
    bands={
        # (s^3 - s)/2: weakest resistance at 1/sqrt(3), none when flat, and inverted it is pushed on: the sign is wrong there
        "St. Venant-Kirchhoff: stretch where it gives way": _near(3.0**-0.5),
        "St. Venant-Kirchhoff: stress there": _near(-(3.0**-1.5)),
        "St. Venant-Kirchhoff: stress when flat": _near(0.0),
        "St. Venant-Kirchhoff: stress inverted, at -0.5": _near(0.1875),
        # mu (s - 1/s) + lambda log(s)/s: without bound
        "neo-Hookean: stress at 0.01": _near((MU * (0.01 - 100.0) + LAMBDA * 100.0 * np.log(0.01)) / UNIT),
        # s - 1: the same through inversion
        "rotated linear: stress inverted, at -0.5": _near(-1.5),
        # no jump at the limit (C0; the paper leaves C0 or C1 open), and the straight line beyond pushes back ever harder
        "modified: stress just below its limit / neo-Hookean's": _near(1.0),
        "modified: slope below its limit / above": _near(LINE / SLOPE),
        "modified: stress inverted, at -0.5": _near((AT_LIMIT - (0.5 + LIMIT) * LINE) / UNIT),
        "modified: least rise of stress, from -1 to 1.8": (1e-4, 1.0),
        "clamped: stress inverted, at -0.5 / at its limit": _near(1.0),
    },
)
