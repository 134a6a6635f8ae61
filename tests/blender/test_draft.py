"""The draft model in Blender: chosen like any other, its numbers drawn, baked beside other goo and played."""

import bpy
import numpy as np
import pytest

from .reading import add_cube, make_body, read
from .test_panels import draw_all


def test_a_new_body_is_viscoplastic_and_draft_can_be_chosen(cube):
    bpy.ops.dollop.body_add()
    assert cube.dollop.model == "viscoplastic"
    cube.dollop.model = "draft"
    seen = draw_all()
    assert {"young_modulus", "yield_strain", "flow_rate", "maximum_plastic_strain", "rotation"} <= set(seen)
    assert "yield_stress" not in seen and "elastic_law" not in seen


def test_a_draft_preset_sets_model_numbers_and_size(cube):
    bpy.ops.dollop.body_add(preset="draft_warm_wax")
    assert cube.dollop.model == "draft" and cube.dollop.draft.young_modulus == 50000.0
    (body,) = read(bpy.context.scene).bodies
    assert body.material.model == "draft" and body.material.values["yield_strain"] == pytest.approx(0.01)
    scaled = body.scaled_material().values
    ratio = body.extent / 0.1
    assert scaled["young_modulus"] == pytest.approx(5e4 * ratio) and scaled["flow_rate"] == pytest.approx(100.0 / ratio**0.5)


def test_draft_and_viscoplastic_bodies_are_baked_together(scene, tmp_path):
    scene.frame_end = 8
    bodies = [make_body(add_cube(size=1, location=(3.0 * k, 0.0, 1.0))) for k in range(2)]
    bpy.context.view_layer.objects.active = bodies[1]
    bodies[1].dollop.model = "draft"
    for body in bodies:
        body.dollop.resolution = 4
    scene.dollop.cache_path = str(tmp_path / "cache")
    assert bpy.ops.dollop.bake() == {"FINISHED"}
    scene.frame_set(8)
    for body in bodies:
        (goo,) = [item for item in bpy.data.objects if item.get("dollop_result_of") == body.dollop.uid]
        heights = np.array([vertex.co.z for vertex in goo.data.vertices]) + goo.location.z
        fallen = 0.5 * 9.81 * (7 / 24) ** 2
        assert heights.mean() == pytest.approx(1.0 - fallen, abs=0.02)
        assert {"velocity", "plastic_strain", "stress"} <= set(goo.data.attributes.keys())
