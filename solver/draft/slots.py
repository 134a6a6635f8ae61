"""Where each quantity of a tet lies in the draft model: rows of its material, and slots of its tiles.

F, U, S, V, B and VOLUME are where solver/slots.py has them, since code is shared that knows them there.
"""

from ..slots import LAMBDA, MU, VOLUME, B, F, S, U, V

__all__ = [
    "ENTRIES", "FLOW_RATE", "LAMBDA", "LINEAR", "MATERIAL", "MATERIAL_ROWS", "MOST_STRAIN", "MU", "PLASTIC", "SLOTS",
    "STRAIN", "TURN", "VISCOUS", "VOLUME", "YIELD_STRAIN", "B", "F", "S", "U", "V",
]  # fmt: skip

# Entries of a symmetric tensor in the order that its six numbers have.
ENTRIES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))

# Rows of DraftState.material, after MU and LAMBDA.
YIELD_STRAIN, FLOW_RATE, MOST_STRAIN, VISCOUS, LINEAR = range(2, 7)  # [-], [1/s], [-], eta [s], 1 or 0
MATERIAL_ROWS = 7

MATERIAL = VOLUME + 1  # rows of DraftState.material (7)
TURN = MATERIAL + MATERIAL_ROWS  # rotation of the tet since its rest, row-major (9)
STRAIN = TURN + 9  # total strain at the start of the step: ENTRIES (6)
PLASTIC = STRAIN + 6  # plastic strain (6)
SLOTS = PLASTIC + 6
