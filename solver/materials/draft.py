"""Draft solid after Müller and Gross 2004: warped linear stiffness with plastic strain, solved in one go a step."""

from .contract import Choice, MaterialModel, Parameter

MODEL = MaterialModel(
    identifier="draft",
    label="Draft",
    description="The quick one, for trying out motion: warped linear elasticity that yields by strain, creeps, up to a limit",
    source="Müller & Gross 2004, eqs 1-16; size scaling by dimensional analysis",
    parameters=(
        Parameter("density", "Density", "kg/m^3", 1000.0, 1.0, 30000.0, "Mass density", keyed=False),
        Parameter("young_modulus", "Stiffness", "Pa", 1e5, 1.0, 1e12, "Young's modulus of the elastic response"),
        Parameter(
            "poisson_ratio", "Keeps Volume", "", 0.33, 0.0, 0.49,
            "How much it keeps its volume when it is pressed: Poisson's ratio, 0 gives way like foam, 0.49 bulges like rubber",
        ),
        Parameter(
            "yield_strain", "Yield Strain", "", 0.05, 0.0, 1e3,
            "Yield strain: the norm of the elastic strain above which the shape changes for good",
        ),
        Parameter(
            "flow_rate", "Flow", "1/s", 0.0, 0.0, 1e6,
            "Creep rate: how fast elastic strain above the yield strain becomes permanent; 0 never flows",
        ),
        Parameter(
            "maximum_plastic_strain", "Most Flow", "", 10.0, 0.0, 1e3,
            "Norm of the permanent strain at which it stops growing; 0 keeps the shape for good",
        ),
        Parameter(
            "damping", "Damping", "1/s", 0.0, 0.0, 1e4,
            "Rate at which the slowest internal vibration loses energy, faster ones more; the fall and the spin lose none",
        ),
    ),
    choices=(
        Choice(
            "rotation", "Rotation",
            (
                ("warped", "Followed", "Each tet's stiffness turns with it, so that bending and turning cost no volume"),
                ("linear", "Ignored", "Plain linear elasticity, to compare with: what turns far swells (the paper's figure 1)"),
            ),
            "What elasticity does about parts that turn",
        ),
    ),
    dynamics="draft",
    steerable=False,
)  # fmt: skip
