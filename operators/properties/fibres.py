"""What makes a body's goo a muscle: fibres along a direction, and how far they are activated."""

from bpy.props import FloatProperty, FloatVectorProperty

from .influence import Influence, kind
from .named_data import vector_attribute, vertex_group
from .settings import KEYED, SETTING

FIBRES = Influence(
    "fibres",
    "Fibres",
    "What makes the goo a muscle",
    "forces",
    {
        "fibre_kind": kind(
            "Fibres",
            "Where fibres run through the goo",
            ("NONE", "None", "The goo is alike in every direction"),
            ("DIRECTION", "Direction", "All fibres run along one direction of the object"),
            ("ATTRIBUTE", "Attribute", "They run along a vector attribute of the vertices; there are none where it is zero"),
            (
                "GROUP",
                "Vertex Group",
                "They run from where the group's weights are low to where they are high, through the inside too; where "
                "weights do not change, as they run nearest to there",
            ),
        ),
        "fibre_direction": FloatVectorProperty(
            name="Direction", description="Along which the fibres run, in the object's own axes", default=(0, 0, 1), **SETTING
        ),
        "fibre_attribute": vector_attribute("Name of a vector attribute of the vertices; modifiers may make it", "fibre"),
        "fibre_group": vertex_group("Vertex Group", "The weights along which the fibres run: 0 at one end, 1 at the other"),
        "fibre_stiffness": FloatProperty(
            name="Stiffness",
            description="How much the fibres resist being stretched, in Pa; being shortened costs them nothing",
            default=1e4,
            min=0.0,
            soft_max=1e6,
            **SETTING,
        ),
        "fibre_tension": FloatProperty(
            name="Tension",
            description="With how much stress the fibres pull themselves together when they are fully activated, in Pa",
            default=1e4,
            min=0.0,
            soft_max=1e6,
            **SETTING,
        ),
        "fibre_activation": FloatProperty(
            name="Activation",
            description="How much of their tension the fibres pull with; can be keyed, and acts between frames too",
            default=1.0,
            min=0.0,
            max=1.0,
            subtype="FACTOR",
            **KEYED,
        ),
    },
    only_with={"fibre_direction": "DIRECTION", "fibre_attribute": "ATTRIBUTE", "fibre_group": "GROUP"},
    keyed=("fibre_activation",),
)
