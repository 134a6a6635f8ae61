"""Which bodies collide with themselves."""

import numpy as np

from ...collider import Collider
from ...scene import Body, Scene

SMALL = 2.0  # extents of a body: what is no wider, a fist, a bar or a blade, may be driven into it, and not only press on it


def touches_itself(scene: Scene, body: Body) -> bool:
    """Whether a body of a scene collides with itself.

    So do all if the artist wants it. If only bodies are to collide with each other, those do that something narrow which moves
    may be driven into: it would push their front through their back, and stay hooked in what has been turned inside out.
    """
    if scene.settings.body_contact != "bodies":
        return scene.settings.body_contact == "all"
    return any(_driven_into(collider, body) for collider in scene.colliders)


def _driven_into(collider: Collider, body: Body) -> bool:
    moves = collider.shapes is not None or bool((collider.transforms != collider.transforms[:1]).any())
    if collider.kind == "plane" or not moves or not collider.groups & body.groups:
        return False
    sides = collider.size if collider.surface is None else np.ptp(collider.surface.positions, axis=0)
    stretched = np.sqrt((collider.transforms[:, :3, :3] ** 2).sum(axis=1)).max(axis=0) * sides
    return float(np.sort(stretched)[1]) <= SMALL * body.extent  # how long a bar is says nothing
