"""Everything that can act on a body's goo, in the order of the panels."""

from .fibres import FIBRES
from .force_fields import FORCE_FIELDS
from .goal import GOAL
from .paint import PAINT
from .pins import ATTACHMENT, GOAL_POSITIONS, PIN
from .rise import RISE
from .volume import VOLUME

INFLUENCES = (PIN, ATTACHMENT, GOAL_POSITIONS, FORCE_FIELDS, GOAL, FIBRES, RISE, VOLUME, PAINT)
