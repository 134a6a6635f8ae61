"""How many steps an explicit integrator would need."""

from collections.abc import Iterator

import numpy as np

from ..errors import SceneError
from ..integrators import integrators
from ..materials import models
from ..scene import Body, Settings
from .finding import Finding

# Longest stable step over the time that sound takes through a lattice cell: 0.22 in a cube's cage, 0.08 to 0.10 in Suzanne's.
STABLE_SHARE = 0.1
MANY_STEPS = 500.0  # a frame


def explicit_findings(body: Body, settings: Settings) -> Iterator[Finding]:
    """Yield a warning if the speed of sound in a body forces very many steps."""
    integrator = integrators().get(settings.integrator)
    model = models().get(body.material.model)
    if integrator is None or not integrator.explicit or model is None or model.dynamics != "newton" or not body.extent > 0:
        return
    try:
        values = body.scaled_material().values
    except SceneError:
        return
    young, poisson = values["young_modulus"], values["poisson_ratio"]
    sound = np.sqrt(young * (1.0 - poisson) / ((1.0 + poisson) * (1.0 - 2.0 * poisson)) / values["density"])
    steps = sound / (STABLE_SHARE * body.element_size * settings.frames_per_second)
    if steps > MANY_STEPS:
        message = f"{integrator.label} needs about {steps:.2g} steps a frame for it."
        remedy = "Choose another Integrator, or lower the Stiffness or the Resolution."
        yield Finding("warning", body.name, "", message, remedy, "explicit_steps")
