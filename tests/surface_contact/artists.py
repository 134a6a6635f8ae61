"""Simulations of artists' meshes in cages much coarser or finer than they are, which carry contact."""

import numpy as np

from solver.bake import prepare
from solver.materials import Material
from solver.scene import Body, Scene, Settings, validated
from solver.simulate import Simulation
from tests.surfaces import sphere, surface

RUBBER = {"young_modulus": 1e5, "poisson_ratio": 0.4, "yield_stress": 1e9, "density": 1000.0}


def simulated(
    parts, resolution=6, contact="bodies", colliders=(), values=RUBBER, gravity=(0.0, 0.0, -9.81), velocities=None, pins=()
):
    """A simulation of surfaces, each with its velocity and these pins."""
    velocities = velocities or [(0.0, 0.0, 0.0)] * len(parts)
    bodies = tuple(
        Body(f"b{k}", f"Body {k}", part, Material("viscoplastic", values, {}), resolution=resolution, velocity=each, pins=pins)
        for k, (part, each) in enumerate(zip(parts, velocities, strict=True))
    )
    settings = Settings(1, 100, threads=1, gravity=gravity, body_contact=contact)
    scene = validated(Scene(bodies, tuple(colliders), settings))
    prepared = prepare(scene)
    return Simulation(scene, *([getattr(item, name) for item in prepared] for name in ("mesh", "surface", "contacts")))


def turned(part, angle):
    """A surface turned about the upright."""
    c, s = np.cos(angle), np.sin(angle)
    return surface(part.positions @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]), part.triangles)


def flattened(rings, gap):
    """Two balls of half a metre radius, cut flat at 0.4 m, whose flat sides lie `gap` [m] apart, the lower one also below."""
    lower, upper = sphere(rings, 0.5), turned(sphere(rings, 0.5), 0.4)
    lower.positions[:, 2] = np.clip(lower.positions[:, 2], -0.4, 0.4)
    upper.positions[:, 2] = np.maximum(upper.positions[:, 2], -0.4)
    return [lower, surface(upper.positions + [0.03, 0.02, 0.8 + gap], upper.triangles)]
