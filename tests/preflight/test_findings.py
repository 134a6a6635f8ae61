"""Every finding: it comes when it should, names object and remedy, and stays away otherwise."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from solver.materials import Material
from solver.preflight import Finding, preflight
from solver.presets import list_presets
from solver.scene import Body, Collider, Scene, Settings
from tests.surfaces import DATA, box, flipped, joined, moved, sphere, stored, surface, with_holes

MATERIAL = Material("viscoplastic")
HIGH = (0.0, 0.0, 5.0)
FLOOR = Collider("floor", "Floor", "plane", np.eye(4)[None])


def body(part=None, name="Bun", **options):
    return Body(name, name, moved(part or sphere(16), HIGH), options.pop("material", MATERIAL), **options)


def collider(part, name="Stair", matrix=None, **options):
    transforms = np.array([np.eye(4) if matrix is None else matrix])
    return Collider(name, name, "mesh", transforms, part, **options)


def findings(*bodies, colliders=(), **settings):
    return preflight(Scene(tuple(bodies), tuple(colliders), Settings(**settings)))


def codes(*bodies, **options):
    return {finding.code for finding in findings(*bodies, **options)}


def only(code, found) -> Finding:
    matching = [finding for finding in found if finding.code == code]
    assert len(matching) == 1, found
    return matching[0]


def test_a_good_scene_has_none():
    assert findings(body(), colliders=[FLOOR, collider(box())]) == []


def test_nothing_to_bake():
    assert only("nothing", findings()).severity == "error"


def test_a_broken_body_is_an_error_and_the_others_are_still_checked():
    broken = sphere(8)
    broken.positions[3, 1] = np.nan
    empty = surface(np.empty((0, 3)), np.empty((0, 3)))
    found = findings(body(broken, "Broken"), Body("e", "Empty", empty, MATERIAL), body(with_holes(sphere(12)), "Holed"))
    assert only("not_finite", found).place == "vertex 3"
    assert only("not_finite", found).object_name == "Broken"
    assert only("empty", found).object_name == "Empty"
    assert only("open", found).object_name == "Holed"


def test_a_face_that_names_no_vertex():
    assert only("bad_face", findings(body(surface(np.eye(3), [[0, 1, 9]])))).severity == "error"


@pytest.mark.parametrize(
    "part",
    [
        surface([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]),
        surface([[0, 0, 0], [1, 0, 0.3], [1, 1, 0.3], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]]),
        surface([[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 0, 0]], [[0, 1, 2], [1, 2, 3]]),
    ],
)
def test_no_volume_is_an_error_with_a_remedy(part):
    found = only("no_volume", findings(body(part)))
    assert found.severity == "error" and "Solidify" in found.remedy


def test_a_sheet_that_encloses_nearly_nothing_is_a_warning():
    bent = surface([[0, 0, 0], [1, 0, 0], [1, 1, 0.4], [0, 1, 0.3]], [[0, 1, 2], [0, 2, 3]])
    assert only("no_volume", findings(body(bent))).severity == "warning"


def test_open_bodies_suit_the_cage_but_not_tetgen():
    holed = with_holes(sphere(16), 100)
    assert only("open", findings(body(holed))).severity == "info"
    assert only("open", findings(body(holed, method="conforming"))).severity == "error"
    assert "Cage" in only("open", findings(body(holed, method="conforming"))).remedy


def test_non_manifold_and_flipped_and_self_crossing():
    fin = surface([[0, 0, 1], [0.1, 0.0, 1.0], [0, 0, 1.5]], [[0, 1, 2]])
    finned = joined(sphere(12), fin)
    shared = surface(finned.positions, finned.triangles)
    shared.triangles[-1] = [0, 1, len(shared.positions) - 1]
    assert only("non_manifold", findings(body(shared))).severity == "info"
    assert only("flipped", findings(body(flipped(sphere(12))))).severity == "info"
    assert only("flipped", findings(body(flipped(sphere(12), slice(5, 9))))).severity == "info"
    crossing = joined(sphere(12), moved(sphere(12), (0.9, 0.1, 0.2)))
    found = only("self_crossing", findings(body(crossing)))
    assert found.severity == "info" and "pass through itself" in found.message and "apart" in found.remedy
    assert only("self_crossing", findings(body(crossing, method="conforming"))).severity == "error"
    assert "self_crossing" not in codes(body(joined(sphere(12), moved(sphere(12), (2.5, 0, 0)))))


def test_suzanne_is_taken_as_she_is():
    found = findings(body(stored("suzanne"), resolution=30), colliders=[FLOOR])
    assert not [finding for finding in found if finding.severity == "error"]
    assert "42 edges" in only("open", found).message


def test_loose_vertices_do_not_count_into_the_size():
    stray = surface(np.concatenate([sphere(12).positions, [[9.0, 0.0, 0.0]]]), sphere(12).triangles)
    assert body(stray).element_size == body(sphere(12)).element_size
    assert codes(body(stray)) == codes(body(sphere(12)))


def test_thin_parts_and_too_many_tets():
    assert "Resolution" in only("thin", findings(body(box((1.0, 1.0, 0.03)), resolution=10))).remedy
    assert "thin" not in codes(body(box((1.0, 1.0, 0.2)), resolution=10))
    doubled = joined(box((1.0, 1.0, 1.0)), box((1.0, 1.0, 1.0 + 1e-8)))
    assert "merge them by distance" in only("thin", findings(body(doubled, resolution=10))).remedy
    assert "tets" in only("many_tets", findings(body(resolution=80))).message


def test_sizes_and_materials():
    assert only("real_size", findings(body(real_size=0.001))).severity == "warning"
    assert "real_size" not in codes(body(real_size=0.1))
    soft = Material("viscoplastic", {"young_modulus": 10.0})
    assert only("too_soft", findings(body(material=soft))).severity == "warning"
    assert only("never_yields", findings(body(material=Material("viscoplastic", {"yield_stress": 1e6})))).severity == "info"
    locking = only("locking", findings(body(material=Material("viscoplastic", {"poisson_ratio": 0.49}))))
    assert locking.severity == "warning" and "At Nodes" in locking.remedy
    free = Material("viscoplastic", {"poisson_ratio": 0.499}, {"volume": "at_nodes"})
    assert "locking" not in codes(body(material=free))
    assert only("material", findings(body(material=Material("marble")))).severity == "error"


def test_a_body_that_is_next_to_inviscid_and_what_cures_it():
    def thin(flow, ratio=1.0, **values):
        material = Material("viscoplastic", {"flow_rate": flow, "yield_stress": 0.0, **values})
        return body(material=material, real_size=2.0 * ratio)

    found = only("inviscid", findings(thin(1e4)))
    assert found.severity == "warning" and "Lower the Flow to" in found.remedy
    bound = float(found.remedy.split()[4])
    assert 100 < bound < 1000
    for ratio in (0.05, 1.0, 20.0):  # the real size scales the bound with everything else
        small = ratio ** -0.5
        material = {"young_modulus": 1e5 * ratio, "yield_stress": 0.0}
        assert "inviscid" in codes(thin(1.2 * bound * small, ratio, **material))
        assert "inviscid" not in codes(thin(0.8 * bound * small, ratio, **material))
    assert "inviscid" not in codes(thin(1e4, yield_stress=1e3))
    assert "inviscid" not in codes(thin(1e4), gravity=(0.0, 0.0, 0.0))


def test_no_preset_is_called_inviscid():
    presets, _ = list_presets(DATA.parent.parent / "presets")
    assert len(presets) >= 12
    for preset in presets.values():
        for resized in (sphere(8, 0.05), sphere(8), sphere(8, 50.0)):
            found = codes(body(resized, material=preset.material, real_size=preset.real_size))
            assert not found & {"inviscid", "locking", "too_soft", "never_yields"}, preset.name


def test_a_drawn_ground_goes_on_beyond_its_edge():
    """Said of what starts over no part of the square, along the square's own axes; not of a plane that nothing draws."""
    turned = np.array([(0, -1, 0, 3), (1, 0, 0, 1), (0, 0, 1, 0), (0, 0, 0, 1)], dtype=float)
    table = replace(FLOOR, transforms=turned[None], size=(2.0, 6.0, 0.0))  # 6 m along x, from 0 to 6, and y from 0 to 2
    far = [Body("b", "Bun", moved(sphere(12, 0.5), place), MATERIAL) for place in ((-0.6, 1.0, 2.0), (3.0, 2.6, 2.0))]
    near = [Body("b", "Bun", moved(sphere(12, 0.5), place), MATERIAL) for place in ((-0.4, 1.0, 2.0), (5.0, 2.4, 2.0))]
    for bun in far:
        found = only("beyond_ground", findings(bun, colliders=[table]))
        assert found.severity == "info" and "'Floor'" in found.message and "Mesh" in found.remedy
        assert "beyond_ground" not in codes(bun, colliders=[FLOOR])
        assert "beyond_ground" not in codes(replace(bun, groups=2), colliders=[replace(table, groups=1)])
    for bun in near:
        assert "beyond_ground" not in codes(bun, colliders=[table])


def test_starting_inside_a_collider():
    low = Body("b", "Bun", sphere(12), MATERIAL)
    assert "partly" in only("starts_in_collider", findings(low, colliders=[FLOOR])).message
    buried = Body("b", "Bun", moved(sphere(12), (0, 0, -3)), MATERIAL)
    assert "behind the plane" in only("starts_in_collider", findings(buried, colliders=[FLOOR])).message
    place = np.eye(4)
    place[:3, 3] = (0.0, 0.5, 5.5)
    assert "Stair" in only("starts_in_collider", findings(body(), colliders=[collider(box(), matrix=place)])).message
    place[:3, 3] = (0.0, 3.5, 5.5)
    assert "starts_in_collider" not in codes(body(), colliders=[collider(box(), matrix=place)])


@pytest.mark.parametrize("kind", ["box", "sphere", "capsule"])
def test_starting_inside_an_exact_shape(kind):
    """Bun: a ball of radius 1 about (0, 0, 5)."""
    def starts(height, size):
        place = np.eye(4)
        place[:3, 3] = (0.0, 0.0, height)
        return [f.message for f in findings(body(), colliders=[Collider("s", "Rock", kind, place[None], size=size)])
                if f.code == "starts_in_collider"]  # fmt: skip

    assert "starts partly inside the collider 'Rock'" in starts(3.5, (2.0, 2.0, 2.0))[0]
    assert "starts inside the collider 'Rock'" in starts(5.0, (8.0, 8.0, 8.0))[0]
    assert not starts(2.9, (2.0, 2.0, 2.0)) and not starts(9.0, (2.0, 2.0, 2.0))


def test_faces_that_are_much_larger_than_tets():
    found = only("large_faces", findings(body(box(), resolution=12)))
    assert found.severity == "warning" and "100 %" in found.message and "Subdivision" in found.remedy
    assert "large_faces" not in codes(body(box(), resolution=2)), "no larger than four tets"
    assert "large_faces" not in codes(body(sphere(16), resolution=12))
    assert "large_faces" not in codes(body(box(), resolution=12, seen="tets"))
    assert "large_faces" not in codes(body(box(), resolution=12, remeshing="wholesale", refine_length=1.5)), "it is refined"


def test_a_container_is_told_to_need_walls_or_two_sides():
    room = box((20.0, 20.0, 20.0))
    place = np.eye(4)
    place[:3, 3] = (0.0, 0.0, 5.0)
    remedy = only("starts_in_collider", findings(body(), colliders=[collider(room, matrix=place)])).remedy
    assert "Solidify" in remedy and "Two-Sided" in remedy
    assert "starts_in_collider" not in codes(body(), colliders=[collider(room, matrix=place, two_sided=True)])


def test_standing_through_an_open_floor_or_across_another_body():
    floor = surface([[-9, -9, 5], [9, -9, 5], [9, 9, 5], [-9, 9, 5]], [[0, 1, 2], [0, 2, 3]])
    assert only("starts_in_collider", findings(body(), colliders=[collider(floor)])).severity == "warning"
    below = surface(floor.positions - [0.0, 0.0, 2.0], floor.triangles)
    assert "starts_in_collider" not in codes(body(), colliders=[collider(below)])
    tube = sphere(24, 1.5)
    tin = surface(tube.positions, tube.triangles[(tube.positions[tube.triangles][:, :, 2] < 0.9).all(axis=1)])
    place = np.eye(4)
    place[:3, 3] = (0.0, 0.0, 5.0)
    for sides in (False, True):
        held = collider(tin, matrix=place, two_sided=sides)
        assert "starts_in_collider" not in codes(body(), colliders=[held]), "a tin, open above, holds what is in it"
        through = only("starts_in_collider", findings(body(moved(sphere(12), (1, 0, 0))), colliders=[held]))
        assert "starts across" in through.message
    across = body(box((6.0, 0.2, 0.2)), "Stick")
    assert only("starts_in_body", findings(body(box((0.2, 6.0, 0.2))), across)).severity == "warning"


def prism(profile, seen_from):
    """A profile of (x, z), counter-clockwise, drawn out along y; all of it is seen from one point inside."""
    n = len(profile)
    points = [(x, y, z) for y in (-1.0, 1.0) for x, z in [*profile, seen_from]]
    faces = []
    for i in range(n):
        j = (i + 1) % n
        faces += [(i, j, n), (n + 1 + j, n + 1 + i, 2 * n + 1), (j, i, n + 1 + i), (j, n + 1 + i, n + 1 + j)]
    return surface(points, faces)


def wedge(degrees):
    """A long prism whose sharpest edge, at the origin, opens by so much."""
    half = np.tan(np.radians(0.5 * degrees))
    return prism([(0, 0), (1, -half), (1, half)], (0.6, 0))


def test_a_sharp_edge_of_a_conforming_body():
    found = only("sharp_edge", findings(body(wedge(4.0), method="conforming")))
    assert found.severity == "warning" and "4° there" in found.message and "Cage" in found.remedy
    assert found.place == "edge at (0, 0, 5) m"
    assert "sharp_edge" not in codes(body(wedge(4.0)))
    assert "sharp_edge" not in codes(body(wedge(20.0), method="conforming"))
    notched = prism([(0, -1), (2, -1), (2, 1), (0, 1), (0, 0.02), (1, 0), (0, -0.02)], (1.5, 0))
    assert "sharp_edge" not in codes(body(notched, method="conforming")), "a sharp groove leaves wide tets"


def test_several_bodies():
    apart = findings(body(), body(moved(sphere(8), (4, 0, 0)), "Roll"), body_contact="off")
    assert only("no_mutual_contact", apart).severity == "info"
    assert "starts_in_body" not in {finding.code for finding in apart}
    touching = body(), body(moved(sphere(8), (4, 0, 0)), "Roll")
    assert not {"no_mutual_contact", "no_body_contact"} & codes(*touching)
    assert "no_body_contact" not in codes(body(), integrator="newmark")
    assert "no_body_contact" in codes(*touching, integrator="newmark")
    assert only("no_body_contact", findings(*touching, body_contact="all", integrator="newmark")).severity == "warning"
    assert only("starts_in_body", findings(body(), body(sphere(8, 0.3), "Roll"))).severity == "warning"


def test_a_model_that_does_not_collide_with_bodies_is_named():
    roll = body(moved(sphere(8), (4, 0, 0)), "Roll", material=Material("draft"))
    found = only("no_body_contact", findings(body(), roll))
    assert found.object_name == "Roll" and "Draft" in found.message
    assert "no_body_contact" not in codes(body(), roll, body_contact="off")
    assert "no_body_contact" not in codes(roll)


@pytest.mark.parametrize(("groups", "warned"), [(1, True), (3, True), (2, False)])
def test_what_is_not_meant_to_meet_may_overlap(groups, warned):
    """Collision groups, and contact of bodies that is switched off."""
    inside, wall = body(sphere(8, 0.3), "Roll", groups=groups), collider(box((4.0, 4.0, 9.0)), groups=groups)
    assert ("starts_in_body" in codes(body(), inside)) == warned
    assert ("starts_in_collider" in codes(body(), colliders=[wall])) == warned
    assert "starts_in_body" not in codes(body(), inside, body_contact="off")


def test_colliders_open_flipped_empty_and_flat():
    wall = surface([[0, -1, -1], [0, 1, -1], [0, 1, 1], [0, -1, 1]], [[0, 1, 2], [0, 2, 3]])
    floor = surface(wall.positions[:, [2, 1, 0]], wall.triangles)
    assert "thin sheet" in only("open", findings(body(), colliders=[collider(wall)])).message
    assert "ground" in only("open", findings(body(), colliders=[collider(floor)])).message
    assert "open" not in codes(body(), colliders=[collider(wall, two_sided=True)])
    assert only("open", findings(body(), colliders=[collider(with_holes(sphere(16), 100))])).severity == "info"
    assert only("flipped", findings(body(), colliders=[collider(flipped(box()))])).object_name == "Stair"
    line = surface([[0, 0, 0], [1, 0, 0], [2, 0, 0]], [[0, 1, 2]])
    assert only("no_area", findings(body(), colliders=[collider(line)])).severity == "error"
    assert only("empty", findings(body(), colliders=[Collider("m", "Gone", "mesh", np.eye(4)[None])])).severity == "error"


def test_collider_transforms():
    zero, bad = np.diag([0.0, 1.0, 1.0, 1.0]), np.full((4, 4), np.nan)
    assert only("zero_scale", findings(body(), colliders=[collider(box(), matrix=zero)])).severity == "warning"
    assert only("transform", findings(body(), colliders=[collider(box(), matrix=bad)])).severity == "error"
    keys = np.array([np.eye(4), np.diag([-1.0, 1.0, 1.0, 1.0])] * 25)[:49]
    turning = Collider("c", "Stair", "mesh", keys, box())
    assert only("zero_scale", findings(body(), colliders=[turning])).severity == "warning"


def test_frame_range_and_cause():
    assert only("one_frame", findings(body(), frame_start=5, frame_end=5)).severity == "warning"
    assert only("empty_range", findings(body(), frame_start=5, frame_end=4)).severity == "error"
    assert only("no_cause", findings(body(), gravity=(0.0, 0.0, 0.0))).severity == "warning"
    assert "no_cause" not in codes(body(velocity=(1.0, 0.0, 0.0)), gravity=(0.0, 0.0, 0.0))


def test_gravity_that_sets_in_later_is_a_cause():
    late = np.zeros((48, 3))
    late[24:, 2] = -9.81
    assert "no_cause" not in codes(body(), gravity=(0.0, 0.0, 0.0), gravity_keys=late)


def test_explicit_steps_that_would_be_very_many_are_told():
    stiff = Material("viscoplastic", {"young_modulus": 1e8})
    found = only("explicit_steps", findings(body(material=stiff), integrator="newmark"))
    assert "steps a frame" in found.message and "Integrator" in found.remedy
    assert "explicit_steps" not in codes(body(material=stiff)) | codes(body(), integrator="newmark")


def test_what_the_gate_would_refuse_is_said():
    assert only("refused", findings(body(resolution=1000))).severity == "error"


def test_errors_come_first_and_each_is_a_sentence():
    found = findings(body(with_holes(sphere(12)), resolution=100), body(moved(sphere(8), (4, 0, 0)), "Roll", resolution=1000))
    assert [f.severity for f in found] == sorted((f.severity for f in found), key=["error", "warning", "info"].index)
    assert all(f.message[0].isupper() and f.message.endswith(".") for f in found)


def test_it_needs_no_compiler():
    code = "import sys; sys.path.insert(0, '.'); import solver.preflight, solver.tetmesh.estimate, solver.embedding; "
    code += "print('numba' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], cwd=DATA.parent.parent, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"
