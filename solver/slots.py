"""Where each quantity of a tet lies: rows of State.material, and slots of a tile (solver/fem/tile.py).

A slot is the first component of a group.
"""

# Rows of State.material, one value a tet, so that painted values need no other layout.
MU, LAMBDA, YIELD_STRESS, FLOW_RATE, HARDENING, MINIMUM_YIELD, RATE_STRESS, RATE_EXPONENT = range(8)
FULL_NORM, STRESS_TIME, ELASTIC_LAW, ELASTIC_FIRST, ELASTIC_SECOND, FIBRE_STIFFNESS, FIBRE_TENSION = range(8, 15)
NODAL_BULK = 15  # the part of lambda that acts on the volumes about nodes [Pa] (solver/fem/nodal_volume.py)
PLASTIC_LIMIT = 16  # the largest |log V_p|, 0 for none (solver/fem/limit_surface.py)
SURFACE_TENSION = 17  # of the boundary [N/m] (solver/fem/surface_tension.py)
MATERIAL_ROWS = 18

# What a tile keeps: F, U, S, V, P, H, flow and its direction where something flows; else they are made again when asked for.
F = 0  # deformation gradient, row-major (9); where there are fibres
U = 9  # left rotation (9)
S = 18  # principal stretches, those of the trial where the tet flows (3)
V = 21  # right rotation (9)
B = 30  # rest shape inverse (9) [1/m]
VOLUME = 39  # rest volume [m^3]; 0 in padding lanes
DENSITY = 40  # [kg/m^3]
YIELD = 41  # yield stress with hardening [Pa]
FLOW_STRESS = 42  # yield measure at the end of the last step [Pa]
P = 43  # principal first Piola-Kirchhoff stresses (3) [Pa]
H = 46  # second derivatives 00 11 22 01 02 12 [Pa]: the law's at E, and in the end the energy's by the trial stretches
FLOW = 52  # plastic log strain of this step, p = gamma a
SIZE = 53  # a: size of the trial log deviator; 0 where the element does not yield
N = 54  # its direction (3)
MEASURE = 57  # yield measure after flow [Pa]
MISES = 58  # von Mises measure of the Kirchhoff stress [Pa]
NORM = 59  # Frobenius norm of the first Piola-Kirchhoff stress [Pa]
ENERGY = 60  # energy density [J/m^3]
REMADE = 61  # in lane 0: 0 where something flows; else the tile keeps no decomposition, 1, or had none, 2 (direct.py)
KEPT = 62
# What it also keeps in meshes that have fibres, limits of flow or goals.
FIBRE = 62  # unit direction of the fibres as flow has turned them, zero where there are none (3)
ACTIVATION = 65  # of the fibres, 0 to 1; negative in tiles without any
GONE = 66  # log V_p of the flow behind the tet, where it has a limit; goal less log F_p where it has one: 00 11 22 01 02 12
LED = 72  # 1 where the tet has a goal
KEPT_WITH_EXTRAS = 73
# What is worked with, in one place for tile after tile.
E = 73  # elastic stretches: those that an elastic law answers for (3)
Q = 76  # the law's first Piola-Kirchhoff principal stresses at E (3) [Pa]
SLOPE = 79  # rise of the flow stress per plastic log strain [Pa]
LOW = 80  # bracket of the plastic log strain
HIGH = 81
ROOM = 82  # the most that this step may flow, as log strain
SYM = 83  # (P_i - P_j) / (s_i - s_j) for 01 02 12
ANTI = 86  # (P_i + P_j) / (s_i + s_j) for 01 02 12
FLOOR = 89  # curvature that the element's inertia outweighs [Pa]
MATERIAL = 90  # rows of State.material
SLOTS = MATERIAL + MATERIAL_ROWS
