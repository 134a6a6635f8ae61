"""Where the addresses of phases lie in the tables that `Tiles` gives to kernels."""

PROGRAM = 5  # numbers a program: address of an elastic law's phase, first lane, last + 1, and two addresses or 0:
DIRECT, DIRECT_BLOCKS = 3, 4  # of its forces and its stiffness by invariants
PHASES = 7  # phases that all laws share; 0 for those that nothing in the mesh asks for:
FORCES, BLOCKS, DECOMPOSE, RAISING, FLOWING, PULL, STIFFEN = range(PHASES)
