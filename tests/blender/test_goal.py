"""The goal shape: another object's mesh or a shape key, in metres, or one clear sentence."""

import numpy as np
import pytest

from .reading import add_cube, make_body, read, solver


def test_a_changed_copy_is_the_goal_even_when_hidden(scene):
    body = make_body(add_cube(size=2))
    goal = add_cube(size=2, location=(9, 0, 0))
    goal.scale = (2, 1, 1)
    goal.hide_viewport = True
    body.dollop.goal_kind, body.dollop.goal_object = "OBJECT", goal
    read_body = read(scene).bodies[0]
    np.testing.assert_allclose(np.ptp(read_body.goal, axis=0), (4, 2, 2), atol=1e-6)
    assert read_body.goal_rate == pytest.approx(2.0)
    assert goal.hide_viewport


def test_a_shape_key_is_the_goal(scene):
    scene.unit_settings.scale_length = 0.01
    body = make_body(add_cube(size=2, location=(0, 0, 5)))
    body.shape_key_add(name="Basis")
    for point in body.shape_key_add(name="Flat").data:
        point.co.z *= 0.25
    body.dollop.goal_kind, body.dollop.goal_shape_key = "SHAPE_KEY", "Flat"
    goal = read(scene).bodies[0].goal
    np.testing.assert_allclose(np.ptp(goal, axis=0), (0.02, 0.02, 0.005), atol=1e-8)
    np.testing.assert_allclose(goal.mean(axis=0), (0, 0, 0.05), atol=1e-8)


def test_a_goal_that_cannot_be_followed_is_named(scene):
    body = make_body(add_cube(size=2))
    error = solver("errors").SceneError
    body.dollop.goal_kind = "OBJECT"
    with pytest.raises(error, match="names no mesh"):
        read(scene)
    other = add_cube(size=2)
    other.modifiers.new("Subdivision", "SUBSURF").levels = 1
    body.dollop.goal_object = other
    with pytest.raises(error, match="26 vertices, the object has 8"):
        read(scene)
    body.dollop.goal_kind, body.dollop.goal_shape_key = "SHAPE_KEY", "Gone"
    with pytest.raises(error, match="shape key, but it has none"):
        read(scene)
    body.shape_key_add(name="Basis")
    with pytest.raises(error, match="no shape key 'Gone'"):
        read(scene)


def test_only_the_numbers_of_the_chosen_law_are_shown(scene):
    body = make_body(add_cube(size=2))
    group = body.dollop.viscoplastic
    numbers = __import__("dollop.panels.body", fromlist=["numbers"]).numbers
    assert "clamped_below" not in numbers(group)
    group.elastic_law = "neo_hookean_clamped"
    assert "clamped_below" in numbers(group) and "linear_below" not in numbers(group)
