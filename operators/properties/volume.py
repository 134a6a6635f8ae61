"""What gives a body the volume back that it has lost."""

from bpy.props import FloatProperty

from ...solver.volume_checks import FASTEST
from .influence import Influence, kind
from .settings import SETTING

VOLUME = Influence(
    "volume",
    "Volume",
    "Whether it gets volume back that it has lost",
    "forces",
    {
        "volume_kind": kind(
            "Volume",
            "Whether each piece of the goo gets back the volume that it should have",
            ("NONE", "Free", "What presses it together, or has worn some of it off, makes it smaller"),
            ("RESTORE", "Restore", "A pressure inside each piece gives back what is missing, or takes what is too much"),
        ),
        "volume_rate": FloatProperty(
            name="Rate",
            description="Which share of what is missing comes back in a second: at 2, half of it after a third of a second",
            default=2.0,
            min=0.0,
            max=FASTEST,
            soft_max=10.0,
            **SETTING,
        ),
    },
)
