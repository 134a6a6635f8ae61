"""What nothing in a mesh asks for is not compiled for it: its address is 0 until something does."""

import numpy as np

from solver.fem.phase_table import BLOCKS, DECOMPOSE, FLOWING, FORCES, PULL, RAISING, STIFFEN
from solver.fem.tile import Tiles
from solver.formulas.sample import CORNERS, Sample
from solver.materials import Material
from solver.slots import FLOW_RATE

ALWAYS, SELDOM = [FORCES, BLOCKS, DECOMPOSE, RAISING], [FLOWING, PULL, STIFFEN]


def test_flow_is_compiled_for_what_flows():
    state = Sample(CORNERS, np.array([[0, 1, 2, 3]]), Material("viscoplastic", {}), None, False).state
    tiles = Tiles.of(state)
    assert tiles.phases[ALWAYS].all() and not tiles.phases[SELDOM].any()
    state.material[FLOW_RATE] = 1.0
    tiles.set_materials(state.material)
    assert tiles.phases[[*ALWAYS, FLOWING]].all() and not tiles.phases[[PULL, STIFFEN]].any()
