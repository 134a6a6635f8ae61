"""What makes a body larger from inside, or smaller."""

from bpy.props import FloatProperty

from .influence import Influence, kind
from .settings import KEYED

RISE = Influence(
    "rise",
    "Rise",
    "Whether its volume grows from inside",
    "forces",
    {
        "rise_kind": kind(
            "Rise",
            "Whether the goo grows from inside",
            ("NONE", "None", "It keeps its volume"),
            ("RATE", "Rate", "Its volume grows while its mass stays, as dough that proves and a marshmallow that swells"),
        ),
        "rise_rate": FloatProperty(
            name="Rate",
            description="By which share of itself the volume grows in a second, below 0 it shrinks; can be keyed. What has no "
            "room to grow presses on what confines it",
            default=0.2,
            min=-10.0,
            max=10.0,
            soft_min=-1.0,
            soft_max=1.0,
            **KEYED,
        ),
    },
    keyed=("rise_rate",),
)
