"""The torus without strength that collapses into a puddle and recovers (Irving 2004, figure 2; claim I21).

    PYTHONPATH=tools python -m tests.physics.torus 40

runs it with so many elements across and prints what the test asks for.
"""

import sys
from dataclasses import replace
from time import process_time

import numpy as np

from figure_scenes.contract import misfit
from figure_scenes.shapes import torus
from solver.simulate import Simulation
from solver.tetmesh.cage import cage
from tests.physics.scenes import PlaneField, make_scene

RADIUS, TUBE = 0.5, 0.2  # [m]
WEAK, STRONG = 1.0, 2e5  # Young's moduli [Pa]
COLLAPSE, RECOVERY = 18, 36  # frames


def collapse_and_recover(resolution):
    """Heights of the puddle and RMS misfit of the recovered torus, over its size; share of tets inside out; their number."""
    mesh = cage(torus(RADIUS, TUBE, (0.0, 0.0, TUBE + 0.05), 48, 20), 2.0 * (RADIUS + TUBE) / resolution)
    material = {"young_modulus": WEAK, "poisson_ratio": 0.4, "yield_stress": 1e12, "flow_rate": 0.0}
    scene, *rest = make_scene([mesh], [material], frames=COLLAPSE + RECOVERY)
    soft = np.arange(scene.settings.frame_end) <= COLLAPSE
    keys = {"young_modulus": np.where(soft, WEAK, STRONG), "damping": np.where(soft, 0.0, 20.0)}
    scene = replace(scene, bodies=(replace(scene.bodies[0], keys=keys),))
    simulation = Simulation(scene, *rest, fields=[PlaneField(friction=0.0)])
    size = np.ptp(mesh.positions, axis=0).max()
    for _ in range(COLLAPSE):
        simulation.advance()
    puddle = simulation.state.positions
    height = np.quantile(puddle[:, 2], 0.95) / size
    edges = puddle[mesh.tets[:, 1:]] - puddle[mesh.tets[:, :1]]
    inverted = (np.linalg.det(edges) < 0.0).mean()
    for _ in range(RECOVERY):
        simulation.advance()
    return height, misfit(mesh.positions, simulation.state.positions) / size, inverted, len(mesh.tets)


if __name__ == "__main__":
    started = process_time()
    height, left, inverted, tets = collapse_and_recover(int(sys.argv[1]))
    print(f"{tets} tets: puddle {100 * height:.1f} %, inverted {100 * inverted:.0f} %, misfit {100 * left:.2f} % of its size")
    print(f"{process_time() - started:.1f} s of CPU")
