"""Contact from objects to the cache, with the real solver: body on body, and colliders that bones or keys deform."""

import bpy
import numpy as np
import pytest
from mathutils.bvhtree import BVHTree

from .reading import add_cube, add_plane, bridge

ipctk = pytest.importorskip("ipctk")
pytestmark = pytest.mark.slow

SIZE, RESOLUTION = 0.3, 6
TET = SIZE / RESOLUTION
DEEP = 0.02 * TET  # by which what is seen may dip into a collider


def add_goo(location, **settings):
    """A cube of dough with vertices all over its faces."""
    cube = add_cube(size=SIZE, location=location)
    finer = cube.modifiers.new("Finer", "SUBSURF")
    finer.subdivision_type, finer.levels = "SIMPLE", 3
    bpy.ops.dollop.body_add(preset="dough")
    cube.dollop.resolution = RESOLUTION
    for name, value in settings.items():
        setattr(cube.dollop, name, value)
    return cube


def baked(bodies):
    """Bake with the operator; return what the cache holds of each body: places (n, 3) [m] by frame, and triangles."""
    scene = bpy.context.scene
    assert bpy.ops.dollop.bake() == {"FINISHED"}, scene.dollop.message
    store, found = bridge("scene_cache").store_of(scene), []
    for item in bodies:
        uid = item.dollop.uid
        frames = {number: store.read_body_frame(number, uid) for number in store.frames()}
        record = store.read_topology(uid, 0)
        corners = record.corner_vertices.reshape(-1, 4)
        faces = np.concatenate([corners[:, [0, 1, 2]], corners[:, [0, 2, 3]]]).astype(np.int32)
        found.append(({number: one.origin + one.positions.astype(np.float64) for number, one in frames.items()}, faces))
    return found


def test_two_bodies_land_on_each_other_and_never_cross(saved):
    scene = bpy.context.scene
    scene.frame_end = 16
    add_plane(size=4)
    bpy.ops.dollop.collider_add()
    lower = add_goo((0, 0, 0.16))
    upper = add_goo((0.04, 0.02, 0.52), velocity=(0, 0, -1.0), angular_velocity=(0.2, 0.0, 0.5))
    (below, faces), (above, others) = baked((lower, upper))
    count, met = len(below[1]), []
    triangles = np.concatenate([faces, others + count]).astype(np.int32)
    for frame in range(1, 17):
        places = np.concatenate([below[frame], above[frame]])
        mesh = ipctk.CollisionMesh(places, ipctk.edges(triangles), triangles)
        assert not ipctk.has_intersections(mesh, places), frame
        tree = BVHTree.FromPolygons(below[frame].tolist(), faces.tolist())
        met.append(min(tree.find_nearest(place)[3] for place in above[frame].tolist()))
    assert met[0] > TET > 20 * min(met), "they start apart and touch"
    assert above[16][:, 2].mean() > below[16][:, 2].mean() + 0.4 * SIZE, "one lies on the other"


def add_plate(cuts=12):
    """A closed plate half a metre wide, its top at z = 0, an obstacle as Blender evaluates it."""
    plate = add_cube(size=1)
    plate.scale, plate.location = (0.5, 0.5, 0.06), (0, 0, -0.03)
    bpy.ops.object.transform_apply(location=True, rotation=False, scale=True)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.subdivide(number_cuts=cuts)
    bpy.ops.object.mode_set(mode="OBJECT")
    return plate


def swung_by_a_bone():
    """The plate turns about the x axis at its edge, 4 degrees a frame and already before the first."""
    plate = add_plate()
    bpy.ops.object.armature_add(location=(0, -0.25, 0))
    rig = bpy.context.object
    bone = rig.pose.bones[0]
    bone.rotation_mode = "XYZ"
    bone.driver_add("rotation_euler", 0).driver.expression = "radians(4) * frame"
    plate.vertex_groups.new(name=bone.name).add(range(len(plate.data.vertices)), 1.0, "REPLACE")
    plate.modifiers.new("Rig", "ARMATURE").object = rig
    return plate


def swollen_by_a_key():
    """The plate's middle rises by 0.2 m in twelve frames, and has begun before the first."""
    plate = add_plate()
    plate.shape_key_add(name="Basis")
    hump = plate.shape_key_add(name="Hump")
    for point in hump.data:
        point.co.z += 0.2 * np.exp(-(point.co.x**2 + point.co.y**2) / 0.02)
    for frame, value in ((2, 0.0), (14, 1.0)):
        hump.value = value
        hump.keyframe_insert("value", frame=frame)
    return plate


def obstacle(plate):
    """The evaluated mesh at the present frame."""
    return BVHTree.FromObject(plate, bpy.context.evaluated_depsgraph_get())


def depth(tree, places):
    """How deep the deepest of the places lies in a closed mesh; below 0 how far the nearest is from it."""
    deepest = -np.inf
    for place in places.tolist():
        nearest, normal, _, distance = tree.find_nearest(place)
        inside = (nearest - type(nearest)(place)).dot(normal) > 0.0
        deepest = max(deepest, distance if inside else -distance)
    return deepest


@pytest.mark.parametrize("deform", [swung_by_a_bone, swollen_by_a_key])
def test_goo_stays_on_a_mesh_that_deforms(saved, deform):
    """At every frame it is out of what Blender shows of the plate then, and above it."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 4, 12
    plate = deform()
    scene.frame_set(4)
    with bpy.context.temp_override(active_object=plate, object=plate, selected_objects=[plate]):
        bpy.ops.dollop.collider_add(kind="mesh")
    start = 0.5 * SIZE + (0.14 if deform is swung_by_a_bone else 0.04)
    body = add_goo((0, 0, start))
    ((places, _),) = baked((body,))
    deepest = {}
    for frame in range(4, 13):
        scene.frame_set(frame)
        tree = obstacle(plate)
        deepest[frame] = depth(tree, places[frame])
        assert tree.ray_cast(places[frame].mean(axis=0).tolist(), (0, 0, -1))[0] is not None, frame
        assert tree.ray_cast(places[frame].mean(axis=0).tolist(), (0, 0, 1))[0] is None, frame
    assert deepest[4] < -0.2 * TET and max(deepest.values()) < DEEP, deepest
    assert max(deepest.values()) > -DEEP, "it touches"
