"""Collision groups are read as bits, of bodies and of colliders."""

from .reading import add_cube, add_plane, make_body, read


def test_groups_are_read_as_bits(scene):
    body = make_body(add_cube())
    ground = add_plane()
    ground.dollop.is_collider = True
    seen = read(scene)
    assert (seen.bodies[0].groups, seen.colliders[0].groups) == (1, 1)
    body.dollop.collision_groups = (False, True, True, *[False] * 5)
    ground.dollop.collision_groups = (*[False] * 7, True)
    seen = read(scene)
    assert (seen.bodies[0].groups, seen.colliders[0].groups) == (6, 128)
