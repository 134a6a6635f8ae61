"""Viscoplastic solid after Bargteil 2007: elastic below a yield stress, flowing at a rate above it."""

from dataclasses import replace

from .contract import Choice, MaterialModel, Parameter
from .elasticity import laws

AT_A_RATE = ("plasticity", "flow")

MODEL = MaterialModel(
    identifier="viscoplastic",
    label="Viscoplastic",
    description="Elastic below the yield stress; above it flows at a rate, hardens or softens, keeps its volume",
    source="Bargteil 2007, eqs 1-12; hardening law Wicke 2010, section 4; size scaling by dimensional analysis",
    parameters=(
        Parameter("density", "Density", "kg/m^3", 1000.0, 1.0, 30000.0, "Mass density", keyed=False),
        Parameter("young_modulus", "Stiffness", "Pa", 1e5, 1.0, 1e12, "Young's modulus of the elastic response"),
        Parameter(
            "poisson_ratio", "Keeps Volume", "", 0.4, 0.0, 0.499,
            "How much it keeps its volume when it is pressed: Poisson's ratio, 0 gives way like foam, 0.499 bulges like rubber",
        ),
        Parameter(
            "yield_stress", "Yield", "Pa", 1e3, 0.0, 1e12,
            "Yield stress: the von Mises measure of Kirchhoff stress above which the shape changes for good",
        ),
        Parameter(
            "flow_rate", "Flow", "1/s", 10.0, 0.0, 1e6,
            "Flow rate: how fast stress above the yield stress relaxes into permanent deformation; 0 never flows",
            only_with=AT_A_RATE,
        ),
        Parameter(
            "hardening_modulus", "Hardening", "Pa", 0.0, -1e12, 1e12,
            "Yield stress gained per unit of accumulated plastic strain; negative softens",
        ),
        Parameter(
            "minimum_yield_stress", "Softest Yield", "Pa", 0.0, 0.0, 1e12, "Softening never lowers the yield stress below this"
        ),
        Parameter(
            "rate_stress", "Thickens At", "Pa", 0.0, 0.0, 1e12,
            "Stress at which the flow rate has halved, so that hard blows meet a solid (cornstarch); 0 switches it off",
            only_with=AT_A_RATE,
        ),
        Parameter(
            "rate_exponent", "Sharpness", "", 2.0, 0.0, 8.0,
            "How sharply it thickens, an exponent: the flow rate falls as rate / (1 + (stress / Thickens At)^exponent)",
            only_with=AT_A_RATE,
        ),
        Parameter(
            "plastic_limit", "Furthest Flow", "", 0.0, 0.0, 3.0,
            "Limit surface: the most that it is deformed for good, as |log F_p|, about 0.5 at one and a half times its length; "
            "beyond it is elastic; 0 for no limit",
        ),
        Parameter(
            "surface_tension", "Tension", "N/m", 0.0, 0.0, 1e6,
            "Surface tension: the surface strives to be small, so that rims and drops are round; water 0.07, syrup 0.08",
        ),
        *(
            replace(parameter, only_with=("elastic_law", law.identifier))
            for law in laws().values()
            for parameter in law.parameters
        ),
        Parameter(
            "damping", "Damping", "1/s", 0.0, 0.0, 1e4,
            "Rate at which the slowest internal vibration loses energy, faster ones more; the fall and the spin lose none",
            ("damping_model", "internal"),
        ),
        Parameter(
            "rotated_damping", "Damping Time", "s", 0.0, 0.0, 1e3,
            "Time over which being deformed is resisted; a vibration of f per second loses energy at 39.5 f^2 times it",
            ("damping_model", "rotated"),
        ),
        Parameter(
            "mass_damping", "Mass (α)", "1/s", 0.0, 0.0, 1e4,
            "Rate at which any motion loses energy: it brakes the fall and the spin too, as syrup around the goo would",
            ("damping_model", "rayleigh"),
        ),
        Parameter(
            "stiffness_damping", "Stiffness (β)", "s", 0.0, 0.0, 1e3,
            "Time that multiplies the stiffness; a vibration of f per second loses energy at 39.5 f^2 times it",
            ("damping_model", "rayleigh"),
        ),
    ),
    choices=(
        Choice(
            "plasticity", "Plasticity",
            (
                ("flow", "Flow", "Stress above the yield stress relaxes at a rate (Bargteil 2007)"),
                ("return_mapping", "At Once", "Return mapping: stress stays at the yield stress, however fast (Irving 2004)"),
            ),
            "How it takes on another shape for good",
        ),
        Choice(
            "damping_model", "Damping Law",
            (
                ("internal", "Internal", "One rate for the slowest vibration of the body, whatever its stiffness"),
                ("rotated", "Rotated", "A stress that answers to being deformed, in each tet's own frame (Irving 2004, 6.2)"),
                ("rayleigh", "Rayleigh", "Proportional to mass, which brakes the fall too, and to stiffness"),
            ),
            "How motion loses energy to the inside of the goo",
        ),
        Choice(
            "yield_measure", "Yield Measure",
            (
                ("von_mises", "Shear", "Von Mises measure of the Kirchhoff stress: pressure alone never makes it flow"),
                ("full_norm", "Full Norm", "Frobenius norm of the first Piola-Kirchhoff stress, as printed by Bargteil 2007"),
            ),
            "Which norm of the stress is compared with the yield stress",
        ),
        Choice(
            "hardening_law", "Hardening Law",
            (
                ("plastic_strain", "Plastic Strain", "Hardening follows permanent deformation (Wicke 2010)"),
                ("stress_time", "Stress over Time", "Hardening follows any stress over time, as Bargteil 2007 eq 11 prints it"),
            ),
            "What makes the yield stress change",
        ),
        Choice(
            "elastic_law", "Elasticity",
            tuple((law.identifier, law.label, law.description) for law in laws().values()),
            "How the material resists being deformed, below its yield stress and on the way to it",
        ),
        Choice(
            "volume", "Volume",
            (
                ("per_tet", "Per Tet", "Each tet keeps its own: fast, but with Keeps Volume above 0.45 too stiff (it locks)"),
                ("at_nodes", "At Nodes", "That about each node is kept, so that nothing locks at any Keeps Volume; slower"),
            ),
            "Where the body keeps its volume",
        ),
    ),
)
