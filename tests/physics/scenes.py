"""Small structured meshes, a plane to fall on, and scenes made of them."""

from dataclasses import replace

import numpy as np

from solver.embedding import Binding
from solver.materials import Material
from solver.scene import Body, Scene, Settings, Surface
from solver.simulate import Simulation
from solver.tetmesh.mesh import TetMesh


def box_mesh(cells=(4, 4, 4), size=(1.0, 1.0, 1.0), origin=(0.0, 0.0, 0.0)) -> TetMesh:
    """A box of cubes, six tets each (Kuhn's split)."""
    _, ny, nz = cells
    grid = np.stack(np.meshgrid(*[np.arange(n + 1) for n in cells], indexing="ij"), axis=-1).reshape(-1, 3)
    strides = np.array([(ny + 1) * (nz + 1), nz + 1, 1])
    corner = np.stack(np.meshgrid(*[np.arange(n) for n in cells], indexing="ij"), axis=-1).reshape(-1, 3)
    tets = []
    for axes in ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)):
        path = [corner]
        for axis in axes:
            path.append(path[-1] + np.eye(3, dtype=int)[axis])
        tets.append(np.stack([p @ strides for p in path], axis=1))
    tets = np.concatenate(tets)
    positions = grid / np.array(cells) * np.array(size) + np.array(origin)
    edges = positions[tets[:, 1:]] - positions[tets[:, :1]]
    negative = np.linalg.det(edges) < 0
    tets[negative] = tets[negative][:, [0, 2, 1, 3]]
    return TetMesh(positions, tets.astype(np.int32))


def ball_mesh(cells=8, radius=0.5, center=(0.0, 0.0, 0.0)) -> TetMesh:
    """A cube mesh pushed into a ball."""
    mesh = box_mesh((cells,) * 3, (2.0, 2.0, 2.0), (-1.0, -1.0, -1.0))
    p = mesh.positions
    largest = np.abs(p).max(axis=1, keepdims=True)
    length = np.linalg.norm(p, axis=1, keepdims=True)
    ball = p * np.where(length > 0, largest / np.maximum(length, 1e-300), 0.0)
    return TetMesh(ball * radius + np.array(center), mesh.tets)


def boundary(mesh: TetMesh) -> Surface:
    """The mesh's own boundary as a surface over all of its nodes."""
    faces = mesh.tets[:, [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]]].reshape(-1, 3)
    _, first, count = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
    return Surface(mesh.positions, faces[first[count == 1]])


def node_binding(mesh: TetMesh, nodes: np.ndarray) -> Binding:
    """Points that are nodes."""
    owner = np.zeros(len(mesh.positions), dtype=np.int32)
    corner = np.zeros(len(mesh.positions), dtype=np.int32)
    for c in range(4):
        owner[mesh.tets[:, c]] = np.arange(len(mesh.tets))
        corner[mesh.tets[:, c]] = c
    weights = np.zeros((len(nodes), 4))
    weights[np.arange(len(nodes)), corner[nodes]] = 1.0
    return Binding(owner[nodes], weights)


class Even:
    """What colliders made for tests share: no sheet, everywhere alike."""

    sheet_offset, middle, beneath, sharp, sticky, endless, still, friction = None, None, None, None, False, True, False, 0.0

    def touch(self, points, time):
        return np.full(len(points), self.friction), np.zeros(len(points))


class PlaneField(Even):
    """A plane through `point` with `normal`, moving at `speed`; solid below."""

    def __init__(self, point=(0, 0, 0), normal=(0, 0, 1), friction=0.5, speed=(0, 0, 0)):
        self.point, self.friction, self.speed = np.array(point, float), friction, np.array(speed, float)
        self.normal = np.array(normal, float) / np.linalg.norm(normal)
        self.still = not self.speed.any()

    def query(self, points, time, margin, distance, normal, velocity):
        distance[:] = (points - self.point - time * self.speed) @ self.normal
        distance[distance > margin] = np.inf
        normal[:] = self.normal
        velocity[:] = self.speed


def make_scene(meshes, materials, *, frames=24, velocity=(0, 0, 0), spin=(0, 0, 0), options=None, **settings) -> tuple:
    """Arguments of Simulation: scene, meshes, surface bindings (all nodes) and contact bindings (boundary nodes)."""
    bodies, surfaces, contacts = [], [], []
    for k, (mesh, material) in enumerate(zip(meshes, materials, strict=True)):
        surface = boundary(mesh)
        goo = Material("viscoplastic", material, options or {})
        bodies.append(Body(f"body{k}", f"Body {k}", surface, goo, velocity=velocity, angular_velocity=spin))
        surfaces.append(node_binding(mesh, np.arange(len(mesh.positions))))
        contacts.append(node_binding(mesh, np.unique(surface.triangles)))
    return Scene(tuple(bodies), (), Settings(frame_end=frames, **settings)), list(meshes), surfaces, contacts


def with_keys(arguments, **keys):
    """The scene of make_scene with keys, one a frame, on the parameters of its first body's material."""
    scene, *rest = arguments
    keys = {name: np.asarray(values, dtype=np.float64) for name, values in keys.items()}
    return replace(scene, bodies=(replace(scene.bodies[0], keys=keys).at(0.0), *scene.bodies[1:])), *rest


def run(arguments, frames, fields=()):
    """Simulate and return the simulation and its frames."""
    simulation = Simulation(*arguments, fields=list(fields))
    return simulation, [simulation.advance() for _ in range(frames)]


def center(simulation):
    """Centre of mass of everything (3,)."""
    masses = simulation.state.masses
    return masses @ simulation.state.positions / masses.sum()


def momentum(simulation):
    """Linear momentum (3,) and angular momentum about the centre of mass (3,)."""
    state = simulation.state
    arms = state.positions - center(simulation)
    return state.masses @ state.velocities, (state.masses[:, None] * np.cross(arms, state.velocities)).sum(axis=0)
