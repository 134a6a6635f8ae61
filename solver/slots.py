"""Where each quantity of a tet lies: rows of State.material, and slots of a tile (solver/fem/tile.py).

A slot is the first component of a group.
"""

# Rows of State.material, one value a tet, so that painted values need no other layout.
MU, LAMBDA, YIELD_STRESS, FLOW_RATE, HARDENING, MINIMUM_YIELD, RATE_STRESS, RATE_EXPONENT = range(8)
FULL_NORM, STRESS_TIME, ELASTIC_LAW, ELASTIC_FIRST, ELASTIC_SECOND, FIBRE_STIFFNESS, FIBRE_TENSION = range(8, 15)
NODAL_BULK = 15  # the part of lambda that acts on the volumes about nodes [Pa] (solver/fem/nodal_volume.py)
PLASTIC_LIMIT = 16  # the largest |log V_p|, 0 for none (solver/fem/limit_surface.py)
MATERIAL_ROWS = 17

F = 0  # deformation gradient, row-major (9)
U = 9  # left rotation (9)
S = 18  # principal stretches, those of the trial where the tet flows (3)
V = 21  # right rotation (9)
P = 30  # principal first Piola-Kirchhoff stresses (3) [Pa]
ENERGY = 33  # energy density [J/m^3]
FLOW = 34  # plastic log strain of this step, p = gamma a
SLOPE = 35  # rise of the flow stress per plastic log strain [Pa]
MEASURE = 36  # yield measure after flow [Pa]
SIZE = 37  # a: size of the trial log deviator; 0 where the element does not yield
N = 38  # its direction (3)
B = 41  # rest shape inverse (9) [1/m]
VOLUME = 50  # rest volume [m^3]; 0 in padding lanes
DENSITY = 51  # [kg/m^3]
YIELD = 52  # yield stress with hardening [Pa]
FLOW_STRESS = 53  # yield measure at the end of the last step [Pa]
E = 54  # elastic stretches: those that an elastic law answers for (3)
Q = 57  # the law's first Piola-Kirchhoff principal stresses at E (3) [Pa]
H = 60  # the law's second derivatives at E: 00 11 22 01 02 12 [Pa]
LOW = 66  # bracket of the plastic log strain
HIGH = 67
D = 68  # second derivatives of the energy by the trial stretches, flow included: 00 11 22 01 02 12 [Pa]
SYM = 74  # (P_i - P_j) / (s_i - s_j) for 01 02 12
ANTI = 77  # (P_i + P_j) / (s_i + s_j) for 01 02 12
FLOOR = 80  # curvature that the element's inertia outweighs [Pa]
MISES = 81  # von Mises measure of the Kirchhoff stress [Pa]
NORM = 82  # Frobenius norm of the first Piola-Kirchhoff stress [Pa]
DIRECT = 83  # in lane 0: whether the tile was evaluated without a decomposition (direct.py)
FIBRE = 84  # unit direction of the fibres as flow has turned them, zero where there are none (3)
ACTIVATION = 87  # of the fibres, 0 to 1; negative in tiles without any
GONE = 88  # log V_p of the flow behind the tet, where it has a limit; goal less log F_p where it has one: 00 11 22 01 02 12
ROOM = 94  # the most that this step may flow, as log strain
LED = 95  # 1 where the tet has a goal
MATERIAL = 96  # rows of State.material
SLOTS = MATERIAL + MATERIAL_ROWS
