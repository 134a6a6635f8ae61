"""Material values and sizes that are allowed but rarely meant."""

from collections.abc import Iterator

import numpy as np

from ..errors import SceneError
from ..scene import Body, Settings
from .finding import Finding

LARGEST_RATIO = 100.0
PUDDLE = 0.5


def material_findings(body: Body, settings: Settings) -> Iterator[Finding]:
    """Yield what there is to say about one body's size and material."""
    if not body.extent > 0:
        return
    ratio = body.extent / body.real_size if body.real_size > 0 else 1.0
    if not 1.0 / LARGEST_RATIO <= ratio <= LARGEST_RATIO:
        message = f"It is {body.extent:.3g} m large, {ratio:.3g} times the Real Size of {body.real_size:.3g} m."
        yield Finding("warning", body.name, "", message, "Check the Real Size and the scene's unit scale.", "real_size")
    try:
        values = body.scaled_material().values
    except SceneError as error:
        yield Finding("error", body.name, "", error.message, error.remedy, "material")
        return
    stiffness, squash, yielding = (values.get(name) for name in ("young_modulus", "poisson_ratio", "yield_stress"))
    if stiffness is None:
        return
    gravity = float(np.sqrt(np.dot(settings.gravity, settings.gravity)))
    weight = values.get("density", 0.0) * gravity * body.extent
    if weight > PUDDLE * stiffness:
        message = f"Its own weight ({weight:.3g} Pa at its size) squashes it flat: its stiffness is {stiffness:.3g} Pa."
        yield Finding("warning", body.name, "", message, "Raise the Stiffness, or set a Real Size.", "too_soft")
    if yielding is not None and yielding > stiffness and values.get("flow_rate", 0.0) > 0:
        message = f"Its yield stress ({yielding:.3g} Pa) exceeds its stiffness ({stiffness:.3g} Pa), so it never flows."
        yield Finding("info", body.name, "", message, "Lower the Yield if it should.", "never_yields")
    if squash is not None and squash > 0.45:
        message = f"With a Squash of {squash:.3g} the tets lock and it behaves stiffer than it should."
        yield Finding("info", body.name, "", message, "Keep Squash at 0.45 or below.", "locking")
