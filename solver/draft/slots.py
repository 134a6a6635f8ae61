"""Where each quantity of a tet lies in the draft model: rows of its material, and slots of its tiles.

F, U, S, V, B, VOLUME and R are where solver/slots.py has them, since code is shared that knows them there.
"""

from ..slots import LAMBDA, MU, VOLUME, B, F, R, S, U, V

__all__ = [
    "FLOW_RATE", "LAMBDA", "MATERIAL", "MATERIAL_ROWS", "MOST_STRAIN", "MU", "PLASTIC", "SLOTS", "STRAIN",
    "TURN", "VISCOUS", "VOLUME", "YIELD_STRAIN", "B", "F", "G", "P", "R", "S", "U", "V",
]  # fmt: skip

# Rows of DraftState.material, after MU and LAMBDA.
YIELD_STRAIN, FLOW_RATE, MOST_STRAIN, VISCOUS = range(2, 6)  # [-], [1/s], [-], eta [s]
MATERIAL_ROWS = 6

P = 30  # first Piola-Kirchhoff stress, row-major (9) [Pa]
MATERIAL = 51  # rows of DraftState.material (6)
TURN = 57  # rotation of the tet since its rest, row-major (9)
STRAIN = 66  # total strain at the start of the step: 00 11 22 01 02 12
PLASTIC = 72  # plastic strain (6)
G = 78  # shape gradients of the four nodes where the tet has turned (12) [1/m]
SLOTS = R + 9
