"""Elastic laws of isotropic materials, one file each: a file of this folder that defines LAW is found by itself.

A law says what energy a tet holds at three principal stretches, inverted ones included, and how it resists; rotations,
flow, forces and stiffness are made from that for all laws alike (solver/fem). The files need no numba.
"""

from functools import cache

from ...declared import modules_with
from .contract import ElasticLaw

__all__ = ["ElasticLaw", "laws"]


@cache
def laws() -> dict[str, ElasticLaw]:
    """Return every elastic law by its identifier, in the order of the artist's list; the first is the default."""
    found: list[ElasticLaw] = [module.LAW for module in modules_with(__name__, "LAW")]
    return {law.identifier: law for law in sorted(found, key=lambda law: (law.rank, law.identifier))}
