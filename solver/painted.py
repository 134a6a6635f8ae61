"""What an artist paints on a body: by how much its material's values are multiplied from place to place.

Factors are given at the vertices of its surface, carried on inside as smoothly as can be, and kept by every tet
(`State.painted`, one column a key of PAINTABLE): the rows of a material are what is keyed times them. At a remesh they are
averaged over the volume that tets share.
"""

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .errors import SceneError
from .materials import models
from .slots import FLOW_RATE, HARDENING, LAMBDA, MINIMUM_YIELD, MU, NODAL_BULK, YIELD_STRESS

if TYPE_CHECKING:
    from .embedding import Binding
    from .scene import Body
    from .state import Ranges, State

Array = NDArray[np.float64]

# Which rows of State.material a parameter's factor multiplies; all of them are proportional to it
PAINTABLE: dict[str, tuple[int, ...]] = {
    "young_modulus": (MU, LAMBDA, NODAL_BULK),
    "yield_stress": (YIELD_STRESS, MINIMUM_YIELD),
    "flow_rate": (FLOW_RATE,),
    "hardening_modulus": (HARDENING,),
}
LEAST, MOST = 1e-3, 1e3  # of a factor; that of hardening may be anything from -MOST on, so that one part softens


def validated_painting(of: "Body") -> dict[str, Array]:
    """Return a body's factors (n,) by name cast and in the order of PAINTABLE; SceneError where they do not fit it."""
    painted, vertices, body = of.painted, len(of.surface.positions), of.name
    model = models()[of.material.model]
    if painted and model.dynamics != "newton":
        raise SceneError(
            f"The model {model.label} is the same all over.", body=body, remedy="Set Paint to None, or choose another model."
        )
    for name in painted:
        if name not in PAINTABLE:
            raise SceneError(
                f"Its {name} cannot be painted.", body=body, remedy=f"Paint one of {', '.join(PAINTABLE)}."
            )
    result = {}
    for name in (name for name in PAINTABLE if name in painted):
        values = np.ascontiguousarray(painted[name], dtype=np.float64)
        least = -MOST if name == "hardening_modulus" else LEAST
        if values.shape != (vertices,) or not ((values >= least) & (values <= MOST)).all():
            raise SceneError(
                f"What is painted as its {name} has shape {values.shape}, not ({vertices},), or leaves {least:g} to {MOST:g}.",
                body=body, remedy="Check its factors.",
            )  # fmt: skip
        result[name] = values
    return result


def set_painted(state: "State", ranges: "Ranges", bodies: "tuple[Body, ...]", surfaces: "list[Binding]") -> None:
    """Fill `state.painted` from the bodies' surfaces, which bind their own meshes, and multiply their materials by it."""
    from .fem.extension import extended_inside

    for body, surface, (a, b), (n0, n1) in zip(
        bodies, surfaces, pairwise(ranges.tets.tolist()), pairwise(ranges.nodes.tolist()), strict=True
    ):
        if not body.painted:
            continue
        tets, values = state.tets[a:b] - n0, np.stack(list(body.painted.values()), axis=1)
        inside = extended_inside(state.positions[n0:n1], tets, surface, values).reshape(n1 - n0, -1)[tets].mean(axis=1)
        columns = [list(PAINTABLE).index(name) for name in body.painted]
        state.painted[a:b, columns] = np.clip(inside, values.min(axis=0), values.max(axis=0))
        state.material[:, a:b] = painted_rows(state.material[:, a:b], state.painted[a:b])
        state.yield_stress[a:b] = np.maximum(state.material[YIELD_STRESS, a:b], state.material[MINIMUM_YIELD, a:b])


def painted_rows(material: Array, factors: Array) -> Array:
    """Return a material (rows, m), or (rows, 1) of all tets, multiplied by factors (m, 4)."""
    rows = np.repeat(material, len(factors), axis=1) if material.shape[1] == 1 else material.copy()
    for column, own in enumerate(PAINTABLE.values()):
        rows[list(own)] *= factors[:, column]
    return rows


def repainted(material: Array, before: Array, after: Array) -> Array:
    """Return a material (rows, m) that holds factors `before` (m, 4) with those `after` in their place."""
    return painted_rows(material, after / np.where(before == 0.0, 1.0, before))
