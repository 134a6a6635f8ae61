"""Blender's force fields: read with their weights and keys, and goo that moves as Blender's own particle does."""

import subprocess
import sys
from pathlib import Path

import bpy
import numpy as np
import pytest

from .reading import add_cube, make_body, read, solver

START = (1.0, 0.5, 0.3)
FRAMES = 13

EDDIES = """
import numpy as np
from solver.force_fields.eddies import turbulence

points = np.random.default_rng(2).uniform(-50.0, 50.0, (4000, 3))
eddies = np.empty_like(points)
turbulence(points, np.uint32(1), eddies)
print(eddies.std())
"""

# What is set on the field, how the particle starts, where and how the field lies
CASES = {
    "wind": ("WIND", {"strength": 6.0, "flow": 2.0}, (0, 0, 0), {"rotation": (0.4, 0.3, 0.0)}),
    "wind that fades": ("WIND", {"strength": 6.0, "falloff_power": 1.5, "distance_min": 0.1, "use_min_distance": True},
                        (0, 0, 0), {"rotation": (0.4, 0.3, 0.0)}),
    "force": ("FORCE", {"strength": 3.0, "falloff_power": 1.0, "flow": 0.5}, (0, 0, 0), {"location": (0.2, 0.1, 0.0)}),
    "inverse square": ("FORCE", {"strength": -1.0, "use_gravity_falloff": True}, (0, 0.8, 0), {}),
    "tube": ("FORCE", {"strength": 3.0, "falloff_type": "TUBE", "falloff_power": 1.0, "radial_falloff": 2.0}, (0, 0, 0), {}),
    "cone": ("FORCE", {"strength": 30.0, "falloff_type": "CONE", "radial_falloff": 0.5}, (0, 0, 0), {}),
    "line": ("FORCE", {"strength": 3.0, "shape": "LINE", "falloff_power": 1.0}, (0, 0, 0), {"rotation": (0.4, 0.3, 0.0)}),
    "one side": ("FORCE", {"strength": 3.0, "z_direction": "NEGATIVE"}, (0, 0, -1.0), {}),
    "vortex": ("VORTEX", {"strength": 2.0}, (0, 0, 0), {"rotation": (0.2, 0.1, 0.0)}),
    "vortex from a point": ("VORTEX", {"strength": 2.0, "shape": "POINT"}, (0, 0, 0), {"rotation": (0.2, 0.1, 0.0)}),
    "harmonic": ("HARMONIC", {"strength": 16.0, "harmonic_damping": 0.2, "rest_length": 0.3}, (0, 0.5, 0), {}),
    "drag": ("DRAG", {"linear_drag": 0.7, "quadratic_drag": 0.4}, (2.0, 0, 0), {}),
}  # fmt: skip


def add_field(kind, settings, place):
    """A force field as Blender adds it, with some of its settings."""
    bpy.ops.object.effector_add(type=kind, **place)
    field = bpy.context.object
    for name, value in settings.items():
        setattr(field.field, name, value)
    return field


def particle(scene, velocity):
    """Where Blender's particle of mass 1 is at each frame (FRAMES, 3), 0.04 s apart."""
    mesh = bpy.data.meshes.new("Emitter")
    mesh.from_pydata([(0, 0, 0)], [], [])
    emitter = bpy.data.objects.new("Emitter", mesh)
    emitter.location = START
    scene.collection.objects.link(emitter)
    emitter.modifiers.new("Particles", "PARTICLE_SYSTEM")
    settings = emitter.particle_systems[0].settings
    settings.count, settings.frame_start, settings.frame_end, settings.lifetime = 1, 1, 1, 1000
    settings.emit_from, settings.use_emit_random, settings.physics_type = "VERT", False, "NEWTON"
    settings.normal_factor, settings.object_align_factor, settings.mass = 0.0, velocity, 1.0
    settings.integrator, settings.subframes, settings.effector_weights.gravity = "RK4", 10, 0.0
    places = []
    for frame in range(1, FRAMES + 1):
        scene.frame_set(frame)
        seen = emitter.evaluated_get(bpy.context.evaluated_depsgraph_get())
        places.append(tuple(seen.particle_systems[0].particles[0].location))
    scene.frame_set(1)
    bpy.data.objects.remove(emitter)
    return np.array(places)


def goo(scene, velocity, tmp_path):
    """Where a hard little cube's centre is at each frame, as a bake of the same scene has it."""
    body = make_body(add_cube(size=0.01, location=START))
    settings = body.dollop
    settings.resolution, settings.velocity, settings.use_real_size = 2, velocity, False
    settings.viscoplastic.young_modulus, settings.viscoplastic.yield_stress = 1e6, 1e9
    scene.dollop.maximum_substep = scene.dollop.calm_substep = 0.005
    seen = read(scene)
    assert len(seen.force_fields) == 1
    solver("job").write_job(seen, tmp_path)
    # In a process of its own, as every bake is: what is compiled here would bear the extension's name
    solve("-m", "solver", "bake", str(tmp_path), str(tmp_path / "cache"))
    store = solver("cache").FrameStore.open(tmp_path / "cache")
    frames = [store.read_body_frame(k, seen.bodies[0].uid) for k in range(1, FRAMES + 1)]
    return np.array([frame.origin + frame.positions.mean(axis=0) for frame in frames])


def solve(*arguments):
    """Run Python where the solver is, and return what it prints; a worker whose input ends would stop."""
    root = Path(solver("job").__file__).parents[1]
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, *arguments], cwd=root, stdin=pipe, stdout=pipe, text=True) as process:
        said = process.stdout.read()
        assert process.wait() == 0, said
    return said


@pytest.mark.parametrize("name", CASES)
def test_goo_moves_as_blenders_particle(scene, tmp_path, name):
    kind, settings, velocity, place = CASES[name]
    scene.render.fps, scene.frame_end, scene.use_gravity = 25, FRAMES, False
    add_field(kind, settings, place)
    expected, moved = particle(scene, velocity), goo(scene, velocity, tmp_path)
    way = np.linalg.norm(expected - expected[0], axis=1).max()
    assert way > 0.01
    assert np.abs(moved - expected).max() < 0.01 * way + 1e-4


def test_turbulence_is_as_strong_as_blenders(scene):
    """Its eddies are others, but of the same strength: the spread over many places."""
    from mathutils import Vector, noise

    points = np.random.default_rng(2).uniform(-50.0, 50.0, (4000, 3))
    own = float(solve("-c", EDDIES))
    theirs = [noise.turbulence(Vector(p), 3, False, noise_basis="PERLIN_NEW") for p in points]
    # Blender's force adds up octaves of noise between 0 and 1; this function those between -1 and 1
    spread = np.std(theirs) / 1.75
    assert own == pytest.approx(spread, rel=0.05)


def test_weights_and_collections_choose_the_fields(scene):
    wind, force = add_field("WIND", {}, {}), add_field("FORCE", {"strength": 2.0}, {})
    body = make_body(add_cube())
    seen = read(scene)
    names = {one.name: one.uid for one in seen.force_fields}
    assert set(names) == {wind.name, force.name}
    assert seen.bodies[0].field_weights == {names[wind.name]: 1.0, names[force.name]: 1.0}
    body.dollop.field_wind, body.dollop.field_all = 0.5, 0.5
    weights = read(scene).bodies[0].field_weights
    assert weights[names[wind.name]] == pytest.approx(0.25) and weights[names[force.name]] == pytest.approx(0.5)
    some = bpy.data.collections.new("Some")
    some.objects.link(force)
    body.dollop.field_kind, body.dollop.field_collection = "COLLECTION", some
    assert list(read(scene).bodies[0].field_weights) == [names[force.name]]
    body.dollop.field_kind = "NONE"
    seen = read(scene)
    assert not seen.bodies[0].field_weights and not seen.force_fields


def test_a_field_that_moves_and_changes_is_read_at_every_frame(scene):
    scene.unit_settings.scale_length = 0.1
    field = add_field("FORCE", {"strength": 1.0, "distance_max": 5.0, "use_max_distance": True}, {})
    make_body(add_cube())
    scene.frame_start, scene.frame_end = 1, 5
    for value, frame in ((0.0, 1), (4.0, 5)):
        field.field.strength, field.location.x = value, value
        field.field.keyframe_insert("strength", frame=frame)
        field.keyframe_insert("location", frame=frame)
    (one,) = read(scene).force_fields
    assert one.transforms.shape == (6, 4, 4) and one.keys["strength"].shape == (5,)
    assert one.keys["strength"][[0, 4]] == pytest.approx([0.0, 4.0]) and one.transforms[5, 0, 3] == pytest.approx(0.4)
    assert one.numbers["distance_max"] == pytest.approx(0.5) and one.limits == ("distance_max",)


def test_fields_that_do_not_act_are_named(scene):
    add_field("MAGNET", {}, {})
    add_field("WIND", {"use_absorption": True}, {})
    around = add_cube(location=(9, 0, 0))
    bpy.ops.object.forcefield_toggle()
    around.field.type, around.field.shape = "FORCE", "SURFACE"
    make_body(add_cube())
    reading = solver_reading(scene)
    text = " ".join(reading.notes)
    assert len(reading.scene.force_fields) == 1 and len(reading.notes) == 3
    assert "Magnetic" in text and "Absorption" in text and "shape Surface" in text


def solver_reading(scene):
    """The whole reading, with its notes."""
    from .reading import bridge

    return bridge("read_scene").read_scene(scene)
