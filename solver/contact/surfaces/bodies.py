"""What the bodies of a scene bring into contact with each other."""

from itertools import pairwise

from ...integrators import integrators
from ...scene import Scene
from ...state import Ranges, State
from ..contacts import SLIP_SPEED, STICK_TIME
from ..points import contact_modulus
from .surface import contact_surfaces
from .surface_contact import SurfaceContact, Touch


def touching_bodies(scene: Scene, state: State, ranges: Ranges) -> SurfaceContact | None:
    """Contact of the bodies' surfaces as the scene's settings want it, of a state at rest; None where there is none.

    Steps whose elastic forces are those of their start have no solve that could see to it.
    """
    settings = scene.settings
    alone = settings.body_contact == "bodies" and len(scene.bodies) < 2
    if settings.body_contact == "off" or alone or integrators()[settings.integrator].explicit:
        return None
    touches = []
    for body, (a, b) in zip(scene.bodies, pairwise(ranges.tets.tolist()), strict=True):
        weight = float(state.density[a:b].mean()) * settings.strongest_gravity * body.extent
        modulus = contact_modulus(state.material[:, a:b], weight)
        own = settings.body_contact == "all"
        touches.append(Touch(modulus, settings.body_friction, SLIP_SPEED * STICK_TIME * body.extent, own, body.groups))
    contact = SurfaceContact(contact_surfaces(state.tets, state.positions, ranges), touches, state.positions.copy())
    contact.begin(state.positions)
    return contact


def left_out(scene: Scene, contact: SurfaceContact) -> tuple[str, ...]:
    """Sentences on the bodies that do not collide because they touch or overlap at the first frame."""
    sentences = []
    for i, j in contact.left_out:
        one, other = scene.bodies[i].name, scene.bodies[j].name
        if i == j:
            sentences.append(f"'{one}' does not collide with itself: its tetrahedra overlap at the first frame.")
        else:
            sentences.append(f"'{one}' and '{other}' do not collide: their tetrahedra touch or overlap at the first frame.")
    return tuple(f"{sentence} Move the parts apart, or raise the resolution." for sentence in sentences)
