"""A scene survives the way to the child process, and its hash sees what matters and nothing else."""

from dataclasses import replace

import numpy as np

from solver.job import read_job, scene_hash, write_job
from solver.materials import Material
from solver.scene import Body, Collider, Scene, Settings, Surface, validated


def small_scene() -> Scene:
    surface = Surface(
        np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]]), np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
    )
    moving = np.stack([np.eye(4)] * 11)
    moving[:, 0, 3] = np.arange(11)
    return validated(
        Scene(
            (Body("b", "Bün/🍞", surface, Material("viscoplastic", {"yield_stress": 5.0}), 0.1, velocity=(1.0, 2.0, 3.0)),),
            (Collider("c", "Fist", "mesh", moving, surface), Collider("p", "Floor", "plane", np.eye(4)[None])),
            Settings(1, 10),
        )
    )


def test_a_scene_comes_back_as_it_was(tmp_path):
    scene = small_scene()
    write_job(scene, tmp_path)
    again = validated(read_job(tmp_path))
    assert scene_hash(again, 10) == scene_hash(scene, 10)
    assert again.bodies[0].name == "Bün/🍞" and again.bodies[0].velocity == (1.0, 2.0, 3.0)
    assert np.array_equal(again.colliders[0].transforms, scene.colliders[0].transforms)


def test_what_is_keyed_comes_back_as_it_was(tmp_path):
    scene = small_scene()
    body = replace(scene.bodies[0], keys={"yield_stress": np.linspace(5.0, 50.0, 10), "flow_rate": np.array([2.0])})
    gravity = np.linspace(-9.81, 0.0, 30).reshape(10, 3)
    scene = validated(replace(scene, bodies=(body,), settings=replace(scene.settings, gravity_keys=gravity)))
    write_job(scene, tmp_path)
    again = validated(read_job(tmp_path))
    assert list(again.bodies[0].keys) == ["flow_rate", "yield_stress"] and again.bodies[0].material == scene.bodies[0].material
    assert all(np.array_equal(again.bodies[0].keys[name], keys) for name, keys in scene.bodies[0].keys.items())
    assert np.array_equal(again.settings.gravity_keys, gravity) and again.settings.gravity == tuple(gravity[0])
    assert scene_hash(again, 10) == scene_hash(scene, 10)


def test_the_hash_sees_the_past_and_not_the_future():
    scene = small_scene()
    base = scene_hash(scene, 5)
    longer = np.concatenate([scene.colliders[0].transforms, scene.colliders[0].transforms[-1:] + 1.0])
    extended = replace(
        scene,
        settings=replace(scene.settings, frame_end=11, threads=2),
        colliders=(replace(scene.colliders[0], transforms=longer), scene.colliders[1]),
    )
    assert scene_hash(extended, 5) == base
    earlier = scene.colliders[0].transforms.copy()
    earlier[3, 0, 3] += 1e-9
    changed = replace(scene, colliders=(replace(scene.colliders[0], transforms=earlier), scene.colliders[1]))
    assert scene_hash(changed, 5) != base
    assert scene_hash(changed, 1) == scene_hash(scene, 1)
    softer = replace(scene.bodies[0], material=Material("viscoplastic", {"yield_stress": 4.0}))
    assert scene_hash(replace(scene, bodies=(softer,)), 5) != base


def test_the_hash_sees_activation_up_to_the_frame_and_fibres_at_once():
    scene = small_scene()

    def fibred(keys, stiffness=1.0):
        body = replace(scene.bodies[0], fibres=np.array([1.0, 0.0, 0.0]), fibre_stiffness=stiffness, activation=np.array(keys))
        return validated(replace(scene, bodies=(body,)))

    base, later = fibred([0.5] * 10), fibred([0.5] * 6 + [1.0] * 4)
    assert scene_hash(base, 6) == scene_hash(later, 6) == scene_hash(fibred([0.5]), 6)
    assert scene_hash(base, 7) != scene_hash(later, 7)
    assert scene_hash(base, 1) != scene_hash(scene, 1) and scene_hash(base, 1) != scene_hash(fibred([0.5], 2.0), 1)
