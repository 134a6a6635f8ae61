"""Which collision groups an object is in, as the bits that the solver takes."""

import bpy


def collision_groups(item: bpy.types.Object) -> int:
    """Return a bit for each group of a body or a collider."""
    return sum(1 << k for k, inside in enumerate(item.dollop.collision_groups) if inside)
