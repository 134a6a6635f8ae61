"""Which bodies collide with each other, and what is said where they do not."""

from collections.abc import Iterator, Sequence

from ..integrators import integrators
from ..materials import models
from ..scene import Body, Settings
from .finding import Finding


def contact_findings(bodies: Sequence[Body], settings: Settings) -> Iterator[Finding]:
    """Yield whether bodies do not collide with each other though there are several, or though it is asked for."""
    if settings.body_contact == "off":
        if len(bodies) > 1:
            message = f"The {len(bodies)} bodies do not collide with each other, only with colliders."
            yield Finding("info", "", "", message, "Choose Body Contact under Solver.", "no_mutual_contact")
        return
    if settings.body_contact == "bodies" and len(bodies) < 2:
        return
    integrator = integrators().get(settings.integrator)
    if integrator is not None and integrator.explicit:
        message = f"With {integrator.label} bodies collide with colliders only, not with each other."
        remedy = "Choose another Integrator, or switch Body Contact off."
        yield Finding("warning", "", "", message, remedy, "no_body_contact")
        return
    for body in bodies:
        model = models().get(body.material.model)
        if model is not None and model.dynamics != "newton":
            message = f"The model {model.label} collides with colliders only, not with other bodies."
            remedy = "Choose another Model, or switch Body Contact off."
            yield Finding("warning", body.name, "", message, remedy, "no_body_contact")


def meet(one: Body, other: Body, settings: Settings) -> bool:
    """Whether two bodies are meant to collide with each other; those that merge are not."""
    return settings.body_contact != "off" and bool(one.groups & other.groups) and not one.merges_with(other)
