"""Material values and sizes that are allowed but rarely meant."""

from collections.abc import Iterator

import numpy as np

from ..errors import SceneError
from ..materials import complete
from ..scene import Body, Settings
from .finding import Finding

LARGEST_RATIO = 100.0
PUDDLE = 0.5
# Reynolds number above which a ball dropped by half its size speeds up without end. Measured (2 m, stiffness 1e5 Pa, speeds
# in sqrt(g size), 1.0 at the impact): 25 reaches 1.7, 250 reaches 4, 750 reaches 9, 2500 reaches 17.
INVISCID = 100.0
LITTLE_YIELD = 0.01  # of the weight
# Poisson's ratios: a beam four cells thick is 27 % too stiff at 0.45, against nodal volumes, and 2.2 times at 0.49. Presets
# were tuned by eye with up to LOCKING, so nothing is said of them; AVOIDED is what the remedy proposes.
LOCKING, AVOIDED = 0.47, 0.45


def material_findings(body: Body, settings: Settings) -> Iterator[Finding]:
    """Yield what there is to say about one body's size and material."""
    if not body.extent > 0:
        return
    ratio = body.size_ratio
    if not 1.0 / LARGEST_RATIO <= ratio <= LARGEST_RATIO:
        message = f"It is {body.extent:.3g} m large, {ratio:.3g} times the Real Size of {body.real_size:.3g} m."
        yield Finding("warning", body.name, "", message, "Check the Real Size and the scene's unit scale.", "real_size")
    try:
        values = body.scaled_material().values
    except SceneError as error:
        yield Finding("error", body.name, "", error.message, error.remedy, "material")
        return
    stiffness, poisson_ratio, yielding = (values.get(name) for name in ("young_modulus", "poisson_ratio", "yield_stress"))
    if stiffness is None:
        return
    at_once = complete(body.material).options.get("plasticity") == "return_mapping"
    rate = np.inf if at_once else values.get("flow_rate", 0.0)
    gravity = float(np.sqrt(np.dot(settings.gravity, settings.gravity)))
    weight = values.get("density", 0.0) * gravity * body.extent
    if weight > PUDDLE * stiffness:
        message = f"Its own weight ({weight:.3g} Pa at its size) squashes it flat: its stiffness is {stiffness:.3g} Pa."
        yield Finding("warning", body.name, "", message, "Raise the Stiffness, or set a Real Size.", "too_soft")
    if poisson_ratio is not None and yielding is not None and yielding < LITTLE_YIELD * weight:
        viscosity = max(stiffness / (2.0 * (1.0 + poisson_ratio)) / max(rate, 1e-300), 1e-300)
        reynolds = values.get("density", 0.0) * np.sqrt(gravity * body.extent) * body.extent / viscosity
        if reynolds > INVISCID:
            most = complete(body.material).values["flow_rate"] * INVISCID / reynolds
            message = "It flows with hardly any resistance, so it may splash at impossible speeds."
            remedy = f"Lower the Flow to {most:.2g} 1/s or less, or raise the Yield."
            if at_once:
                remedy = "Let its Plasticity be Flow, or raise the Yield."
            yield Finding("warning", body.name, "", message, remedy, "inviscid")
    if yielding is not None and yielding > stiffness and rate > 0:
        message = f"Its yield stress ({yielding:.3g} Pa) exceeds its stiffness ({stiffness:.3g} Pa), so it never flows."
        yield Finding("info", body.name, "", message, "Lower the Yield if it should.", "never_yields")
    if poisson_ratio is not None and poisson_ratio > LOCKING and complete(body.material).options.get("volume") == "per_tet":
        message = f"With Keeps Volume at {poisson_ratio:.3g} the tets lock and it behaves stiffer than it should."
        remedy = f"Set Volume to At Nodes, or Keeps Volume to {AVOIDED:g} or below."
        yield Finding("warning", body.name, "", message, remedy, "locking")
