"""What the bodies of a scene bring into contact with each other."""

from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import block_diag, csr_matrix

from ...embedding import Binding, evaluate
from ...errors import PlacedWarning
from ...integrators import integrators
from ...scene import Body, Scene
from ...state import Ranges, State, element_size
from ...surface import Surface
from ...tetmesh.manifold import components
from ...tetmesh.mesh import TetMesh
from ..contacts import SLIP_SPEED, STICK_TIME
from ..points import contact_modulus
from .bending import Merged, near_to, pressed_at
from .carried import Carried
from .crossing import own_crossings
from .known_reach import KnownReach, Rest, Staying
from .own_contact import touches_itself
from .own_side import carrying_rows, rows_as_seen
from .seen import ERROR, LONGEST, MERGED, seen_surface
from .surface import ContactSurface, contact_surface
from .surface_contact import SurfaceContact
from .touch import Touch

THIN = 0.5  # element sizes; so thick are parts of a smoothed surface at most of which tets alone keep the sides apart
STUCK = 3.0  # seconds between two reports of bodies that do not come apart


def touching_bodies(
    scene: Scene, state: State, ranges: Ranges, seen: list[Binding], triangles: list[NDArray[np.int32]],
    rest: Rest | None = None,
) -> SurfaceContact | None:  # fmt: skip
    """Contact of the bodies' surfaces as the scene's settings want it, as they are seen in a state; None where there is none.

    `seen` binds each body's own surface, of triangles (t, 3), to its tets; at `rest` it is without contact, None: as it lies.
    Steps whose elastic forces are those of their start have no solve that could see to it.
    """
    settings = scene.settings
    whole = not any(_in_pieces(body, state.tets[a:b]) for body, (a, b) in zip(scene.bodies, pairwise(ranges.tets), strict=True))
    alone = len(scene.bodies) < 2 and whole and not touches_itself(scene, scene.bodies[0])
    merging = all(body.merging for body in scene.bodies)  # and what merges does not collide with itself
    merging = merging and all(one.merges_with(other) for one, other in combinations(scene.bodies, 2))
    if settings.body_contact == "off" or alone or merging or integrators()[settings.integrator].explicit:
        return None
    rest = Rest(state.positions, _counts(seen)) if rest is None else rest
    contact = _contact(scene, state, ranges, seen, triangles, rest, ERROR)
    if contact.left_out:  # perhaps only by what was merged
        contact = _contact(scene, state, ranges, seen, triangles, rest, 0.0)
    return contact


def _contact(
    scene: Scene, state: State, ranges: Ranges, seen: list[Binding], triangles: list[NDArray[np.int32]],
    rest: Rest, error: float,
) -> SurfaceContact:  # fmt: skip
    """Contact of surfaces that are merged up to an error in sizes of the tets (seen.py)."""
    settings = scene.settings
    touches, surfaces, whole, places, since, count = list[Touch](), [], list[ContactSurface | None](), [], [], 0
    merged, rows = list[Merged | None](), list[csr_matrix]()
    for body, binding, faces, (a, b), (c, d) in zip(
        scene.bodies, seen, triangles, pairwise(ranges.tets.tolist()), pairwise(ranges.nodes.tolist()), strict=True
    ):
        weight = float(state.density[a:b].mean()) * settings.strongest_gravity * body.extent
        modulus = contact_modulus(state.material[:, a:b], weight)
        own = (touches_itself(scene, body) or _in_pieces(body, state.tets[a:b])) and not body.merging
        slip = SLIP_SPEED * STICK_TIME * body.extent
        others = frozenset(k for k, other in enumerate(scene.bodies) if other is not body and body.merges_with(other))
        mesh, element = TetMesh(state.positions[c:d], (state.tets[a:b] - c).astype(np.int32)), element_size(state.volumes[a:b])
        thin = THIN * element if body.seen == "tets" else 0.0
        touches.append(Touch(modulus, settings.body_friction, slip, own, body.groups, len(touches), others, thin))
        now = Surface(evaluate(binding, mesh.tets, mesh.positions), faces)
        begun = evaluate(binding, mesh.tets, rest.nodes[c:d]) if body.refines else None
        kept = rest.bent[len(rows)] if rest.bent else None
        fit = seen_surface(now, mesh, element, error, begun, kept=kept)
        surfaces.append(contact_surface(fit.triangles, fit.positions, element, count))
        seen_whole = None if fit.whole is None else contact_surface(fit.whole, fit.positions, element, count, LONGEST * element)
        whole.append(seen_whole)
        laid = body.seen == "tets"
        if body.refines:
            rows.append(rows_as_seen(mesh, fit, now, binding, laid))
        else:
            rows.append(carrying_rows(mesh, fit.positions, now, binding, laid))
        lies = np.array_equal(rest.nodes[c:d], mesh.positions)
        since.append(np.full(len(fit.positions), not lies))
        since[-1][: len(fit.vertices)] = fit.vertices >= rest.seen[len(since) - 1]
        places.append(fit.positions if lies else Carried.by(rows[-1]).places(rest.nodes[c:d]))
        at_rest = now.positions if begun is None else begun
        ends = fit.merged if body.refines else fit.merged[:0]
        merged.append(Merged.of(ends, at_rest, places[-1], fit.triangles, count, element))
        count += len(fit.positions)
    carried = Carried.by(block_diag(rows, format="csr"))
    contact = SurfaceContact(surfaces, touches, np.concatenate(places), carried, whole)
    contact.rest, contact.merged, points = rest, merged, np.concatenate(since)
    for (k, _), pair in zip(contact.bodies, contact.neighbourhoods, strict=True):
        pair.known = rest.known[k] if pair.own and rest.known else None
        pair.since = points if pair.own and scene.bodies[k].refines and since[k].any() else None
    contact.begin(state.positions)
    return contact


def _counts(seen: list[Binding]) -> NDArray[np.int64]:
    """How many vertices (b,) are seen of each body."""
    return np.array([len(binding.tets) for binding in seen], np.int64)


def _in_pieces(body: Body, tets: NDArray[np.int32]) -> bool:
    """Whether a body that may tear is in pieces: these collide with each other as bodies do."""
    return body.may_tear and bool(components(tets).any())


def left_out(scene: Scene, contact: SurfaceContact | None) -> set[str]:
    """Sentences on the bodies that do not collide yet, since they overlap; those that only touch will in a moment."""
    if contact is None:
        return set()
    overlapping = [each.bodies for each in contact.parting if each.overlaps]
    names = [(scene.bodies[i].name, scene.bodies[j].name) for i, j in overlapping]
    return {f"'{one}' and '{other}' overlap: they are led apart, and collide from then on." for one, other in names}


def passes_through_itself(contact: SurfaceContact | None, positions: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """By how many pairs of an edge and a triangle each of so many bodies (b,) that collides with itself passes through itself,
    nodes being at positions (n, 3)."""
    found = np.zeros(count, dtype=np.int64)
    if contact is not None and any(pair.own for pair in contact.neighbourhoods):
        contact.cover(positions, positions)
        places = contact.carried.places(positions)
        for (body, _), pair in zip(contact.bodies, contact.neighbourhoods, strict=True):
            if pair.own:
                found[body] = max(found[body], own_crossings(pair.first, pair.near, places))
    return found


def rest_after(
    contact: SurfaceContact | None, positions: NDArray[np.float64], now: NDArray[np.float64], seen: list[Binding],
    staying: Mapping[int, Staying], shown: Sequence[NDArray[np.float64]],
) -> Rest:  # fmt: skip
    """Rest for the contact that is to follow this one, nodes being at positions (n, 3) and from then on those at `now` (n', 3).

    seen binds each body's surface. Bodies that keep their tets keep their rest, those `staying`: what others press together as
    they get new tets is not at rest. Of others rest is what lies there, and how far pairs of one body each reach; and what is
    pressed of them, shown at (n, 3) from now on where that is to be known, goes on to have its own points.
    """
    if contact is None or contact.rest is None:
        return Rest(now, _counts(seen))
    contact.cover(positions, positions)
    own = [(pair.pairs, pair.first.surface.triangles) for pair in contact.neighbourhoods if pair.own]
    nodes, counts, places = now.copy(), _counts(seen), contact.carried.places(positions)
    known = [KnownReach.of(own, places)] * len(counts)
    off = [np.zeros(0, dtype=np.int32)] * len(counts)
    if len(shown):
        others = [pair.pairs for pair in contact.neighbourhoods if not pair.own]
        spots = np.concatenate([known[0].table[:, :3], *(pressed_at(pairs, places) for pairs in others)])
        around = MERGED * max(surface.element for surface in contact.surfaces)
        off = [near_to(spots, each, around) for each in shown]
    for body, stays in staying.items():
        nodes[stays.after] = contact.rest.nodes[stays.before]
        known[body] = contact.rest.known[body] if contact.rest.known else KnownReach.of([], positions)
        counts[body], off[body] = stays.rest(contact.rest, body)
    return Rest(nodes, counts, tuple(known), tuple(off))


def told_of_overlaps(scene: Scene, contact: SurfaceContact | None, frame: int, positions: NDArray[np.float64]) -> list[str]:
    """What is to be said at a frame of bodies that overlap with nodes at positions (n, 3): at the first one that they do, and
    every STUCK seconds and at the last one where it is that they still do."""
    settings = scene.settings
    since, pause = frame - settings.frame_start, max(round(STUCK * settings.frames_per_second), 1)
    if since == 0 or contact is None:
        return sorted(left_out(scene, contact))
    if since % pause and frame != settings.frame_end:
        return []
    found: list[str] = []
    places = contact.carried.places(positions)
    for each in contact.parting:
        if each.look(places):
            x, y, z = max(each.regions, key=lambda region: (region.depth, region.radii.max())).centers.mean(axis=0)
            one, other = (scene.bodies[k].name for k in each.bodies)
            place = f"near ({x:.3g}, {y:.3g}, {z:.3g})"
            sentence = (
                f"'{one}' and '{other}', {place}, frame {frame}: they still overlap, and pass through "
                "each other there. Move them apart at the first frame, or leave them room: let go of a pin, or move a collider."
            )
            found.append(PlacedWarning(sentence, body=one, place=place))
    return found
