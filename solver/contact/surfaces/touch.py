"""What a body brings into its contacts with others."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Touch:
    """What a body brings into its contacts.

    modulus  : sizes the barrier [Pa]: of two bodies the softer's counts
    friction : coefficient; of two bodies the geometric mean counts
    slip     : how far what sticks gives way before it slips [m]
    own      : whether it touches itself
    groups   : bits; it touches bodies that share one of them,
    number   : its own, and
    merges   : those of bodies that it may become one with: they are not kept apart
    thin     : distance at rest up to which its sides may be kept apart by their tets alone [m] (thin_parts.py)
    """

    modulus: float
    friction: float
    slip: float
    own: bool = True
    groups: int = 1
    number: int = -1
    merges: frozenset[int] = frozenset()
    thin: float = 0.0

    def meets(self, other: "Touch") -> bool:
        """Whether it touches another body."""
        return bool(self.groups & other.groups) and other.number not in self.merges
