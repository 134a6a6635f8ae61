"""A body that stands on what lies outside its cage: as fine parts of an artist's mesh do where tets are coarse."""

import numpy as np
import pytest

from solver.embedding import bind, contact_samples, evaluate
from solver.materials import Material
from solver.scene import Body, Collider, Scene, Settings, Surface
from solver.simulate import Simulation

from .scenes import box_mesh

FEET = np.array([[-0.45, -0.45, 0.01], [0.45, -0.4, 0.01], [-0.4, 0.45, 0.02], [0.42, 0.42, 0.0]])
HEIGHT = 0.31  # of the box above the ground: the feet reach more than a tet further down than it


def four_legs():
    """Pyramids from the bottom of the box to each foot."""
    corners = 0.1 * np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
    legs = []
    for foot in FEET:
        base = np.column_stack([np.clip(0.7 * foot[:2] + corners, -0.5, 0.5), np.full(4, HEIGHT)])
        legs.append(np.concatenate([foot[None], base]))
    triangles = np.array([[0, k + 1, (k + 1) % 4 + 1] for k in range(4)] + [[1, 3, 2], [1, 4, 3]], dtype=np.int32)
    return Surface(np.concatenate(legs), np.concatenate([triangles + 5 * k for k in range(4)]))


@pytest.mark.parametrize("young_modulus", [3e4, 2e5])
def test_standing_on_what_lies_outside_gives_no_energy(young_modulus):
    """Thrown down aslant, undamped: with levers for legs it had 77 and 30,000 times the energy after 40 frames."""
    mesh = box_mesh((4, 4, 4), (1.0, 1.0, 1.0), (-0.5, -0.5, HEIGHT))
    surface = four_legs()
    values = {"density": 1000.0, "young_modulus": young_modulus, "poisson_ratio": 0.3, "yield_stress": 1e9, "damping": 0.0}
    body = Body("t", "Table", surface, Material("viscoplastic", values), velocity=(1.0, 0.0, -3.0))
    ground = Collider("g", "Ground", "plane", np.eye(4)[None], friction=0.9)
    scene = Scene((body,), (ground,), Settings(frame_end=40))
    artists = bind(mesh, surface.positions)
    simulation = Simulation(scene, [mesh], [artists], [contact_samples(surface, mesh, 0.25)])
    energy, feet = [], []
    for _ in range(40):
        simulation.advance()
        state = simulation.state
        energy.append(0.5 * (state.masses * (state.velocities**2).sum(axis=1)).sum())
        energy[-1] += 9.81 * state.masses @ state.positions[:, 2]
        feet.append(evaluate(artists, state.tets, state.positions)[::5, 2])
    assert max(energy) < 1.001 * energy[0] and energy[-1] < 0.9 * energy[0]
    assert np.min(feet) > -0.02 * body.element_size
