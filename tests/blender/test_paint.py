"""Paint: factors of a material from a vertex group or an attribute, or one clear sentence."""

import numpy as np
import pytest

from .reading import add_cube, make_body, read, solver


def painted(kind, **factors):
    body = make_body(add_cube(size=2))
    body.dollop.paint_kind = kind
    for name, value in factors.items():
        setattr(body.dollop, name, value)
    return body


def test_a_groups_weights_are_how_much_a_factor_counts(scene):
    body = painted("GROUP", paint_yield=0.2, paint_hardening=-1.0)
    group = body.vertex_groups.new(name="soft")
    group.add([0, 1], 1.0, "REPLACE")
    group.add([2], 0.5, "REPLACE")
    body.dollop.paint_group = "soft"
    factors = read(scene).bodies[0].painted
    assert list(factors) == ["yield_stress", "hardening_modulus"]
    np.testing.assert_allclose(factors["yield_stress"], [0.2, 0.2, 0.6, 1, 1, 1, 1, 1], atol=1e-6)
    np.testing.assert_allclose(factors["hardening_modulus"], [-1, -1, 0, 1, 1, 1, 1, 1], atol=1e-6)


def test_an_attribute_does_too_and_is_kept_between_0_and_1(scene):
    body = painted("ATTRIBUTE", paint_stiffness=3.0, paint_attribute="paint")
    values = np.array([-1, 0, 0.25, 0.5, 1, 2, 0, 0], dtype=np.float32)
    body.data.attributes.new("paint", "FLOAT", "POINT").data.foreach_set("value", values)
    (name, factors), = read(scene).bodies[0].painted.items()
    assert name == "young_modulus"
    np.testing.assert_allclose(factors, [1, 1, 1.5, 2, 3, 3, 1, 1], atol=1e-6)


def test_nothing_is_painted_with_factors_of_1_or_none(scene):
    body = painted("GROUP")
    body.dollop.paint_group = body.vertex_groups.new(name="soft").name
    assert read(scene).bodies[0].painted == {}
    body.dollop.paint_yield = 0.5
    body.dollop.paint_kind = "NONE"
    assert read(scene).bodies[0].painted == {}


def test_what_is_missing_is_named(scene):
    body = painted("GROUP", paint_yield=0.5)
    error = solver("errors").SceneError
    with pytest.raises(error, match="No vertex group is chosen for what is painted"):
        read(scene)
    body.dollop.paint_group = "soft"
    with pytest.raises(error, match="no vertex group 'soft'"):
        read(scene)
    body.dollop.paint_kind = "ATTRIBUTE"
    with pytest.raises(error, match="no attribute 'paint'"):
        read(scene)


def test_the_draft_model_says_that_it_is_not_painted(scene):
    body = painted("GROUP", paint_yield=0.5)
    body.dollop.paint_group = body.vertex_groups.new(name="soft").name
    body.dollop.model = "draft"
    with pytest.raises(solver("errors").SceneError, match="same all over"):
        read(scene)


def test_a_changed_factor_is_a_changed_setting(scene):
    from dollop.operators.bridge.baked_settings import changed_setting, settings_of

    body = painted("GROUP", paint_yield=0.5)
    before = settings_of(scene)
    body.dollop.paint_yield = 0.4
    assert "paint yield" in changed_setting(scene, before)
