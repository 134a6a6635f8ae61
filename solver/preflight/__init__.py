"""A look over the scene before time goes into a bake. numpy only, so that it runs in Blender at once."""

from collections.abc import Callable, Iterator

import numpy as np

from ..errors import SceneError
from ..scene import Body, Collider, Scene, Surface, not_finite, validated
from .body_contact import contact_findings
from .body_shape import body_findings
from .collider_shape import collider_findings
from .explicit_steps import explicit_findings
from .finding import Finding
from .material_values import material_findings
from .narrow_gaps import gap_findings
from .overlaps import overlap_findings
from .resolution import resolution_findings
from .sharp_edges import sharp_edge_findings

__all__ = ["Finding", "preflight"]

SEVERITIES = ("error", "warning", "info")


def preflight(scene: Scene) -> list[Finding]:
    """Return everything that speaks against a bake or may surprise, errors first.

    Takes a scene that has not been validated: an object that is broken is reported and left out of further checks.
    """
    findings = list(_scene_findings(scene))
    bodies = [body for body in scene.bodies if _usable(body, body.surface, findings)]
    colliders = [
        collider for collider in scene.colliders if collider.surface is None or _usable(collider, collider.surface, findings)
    ]
    for body in bodies:
        findings.extend(body_findings(body))
        findings.extend(resolution_findings(body))
        findings.extend(gap_findings(body))
        findings.extend(sharp_edge_findings(body))
        findings.extend(material_findings(body, scene.settings))
        findings.extend(explicit_findings(body, scene.settings))
    for collider in colliders:
        findings.extend(collider_findings(collider, scene.settings))
    findings.extend(contact_findings(bodies, scene.settings))
    findings.extend(overlap_findings(bodies, colliders, scene.settings))
    if not any(finding.severity == "error" for finding in findings):
        findings.extend(_refused(scene))
    return sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))


def _scene_findings(scene: Scene) -> Iterator[Finding]:
    settings = scene.settings
    if not scene.bodies:
        yield Finding("error", "", "", "There is nothing to bake.", "Select a mesh and press Add Body.", "nothing")
    frames = settings.frame_end - settings.frame_start + 1
    if frames < 1:
        message = f"The frame range {settings.frame_start} to {settings.frame_end} is empty."
        yield Finding("error", "", "", message, "Set End to at least Start.", "empty_range")
    elif frames == 1:
        message = f"The frame range is the single frame {settings.frame_start}, in which nothing moves."
        yield Finding("warning", "", "", message, "Set End further on.", "one_frame")
    if not settings.strongest_gravity and not any(any(body.velocity) or any(body.angular_velocity) for body in scene.bodies):
        message = "Gravity is off and nothing has a velocity, so nothing will move."
        yield Finding("warning", "", "", message, "Switch gravity on, or give a body a velocity.", "no_cause")


def _usable(item: Body | Collider, surface: Surface, findings: list[Finding]) -> bool:
    """Whether an object's arrays can be looked at further; if not, say why."""
    add: Callable[[Finding], None] = findings.append
    positions, triangles = np.asarray(surface.positions), np.asarray(surface.triangles)
    if positions.ndim != 2 or not len(positions) or not len(triangles):
        add(Finding("error", item.name, "", "It has no faces.", "Choose a mesh with faces.", "empty"))
        return False
    bad = np.flatnonzero(~np.isfinite(positions).all(axis=1))
    if len(bad):
        message, remedy = not_finite(len(bad))
        add(Finding("error", item.name, f"vertex {bad[0]}", message, remedy, "not_finite"))
        return False
    if triangles.min() < 0 or triangles.max() >= len(positions):
        message = "A face names a vertex that does not exist."
        add(Finding("error", item.name, "", message, "Run Mesh > Clean Up.", "bad_face"))
        return False
    return True


def _refused(scene: Scene) -> Iterator[Finding]:
    """What the solver's own gate says, if nothing above has said it."""
    try:
        validated(scene)
    except SceneError as error:
        yield Finding("error", error.body, error.place, error.message, error.remedy, "refused")
