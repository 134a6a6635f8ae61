"""Identifiers that outlive renaming, saving and duplicating; file-safe, so that names never reach the disk."""

import uuid
from collections.abc import Iterable
from typing import Any

import bpy

# Of identifiers made from names; any fixed value will do
_NAMESPACE = uuid.UUID("8f6c1f0e-5d0a-4a55-9b53-0d6a0c3f9a11")


def new_uid() -> str:
    """Return a fresh identifier: 32 hexadecimal digits."""
    return uuid.uuid4().hex


def ensure_uid(owner: Any) -> str:
    """Return the Dollop identifier of an object or a scene, giving it one when it has none.

    Add Body gives random ones. This one is made from names, for what a script has set up by hand: a farm that never
    saves the file and the artist who opens it later have to come to the same.
    """
    if owner.dollop.uid:
        return owner.dollop.uid
    made = uuid.uuid5(_NAMESPACE, f"{bpy.path.basename(bpy.data.filepath)}/{owner.rna_type.name}/{owner.name_full}").hex
    if owner.library is None:
        owner.dollop.uid = made
    return made


def ensure_random_uid(owner: Any) -> str:
    """Return the identifier of an object or a scene, giving it a random one when it has none."""
    if not owner.dollop.uid and owner.library is None:
        owner.dollop.uid = new_uid()
    return owner.dollop.uid


def complete_all() -> None:
    """Give what lacks an identifier one, and repair doubled ones, in the whole file."""
    repair_all()
    for scene in bpy.data.scenes:
        members = [*bodies_of(scene), *colliders_of(scene)]
        for owner in (*members, *((scene,) if members else ())):
            ensure_uid(owner)


def repair_duplicates(owners: Iterable[Any]) -> list[Any]:
    """Give every object or scene its own identifier and return those that got a new one.

    A duplicate (Shift-D, a full scene copy) carries its original's identifier. Blender counts `session_uid` up, so the
    lower one is the original; across a reload the order of the file's list decides.
    """
    seen: set[str] = set()
    renewed = []
    for owner in sorted(owners, key=lambda item: (item.library is None, item.session_uid)):
        uid = owner.dollop.uid
        if uid and uid in seen and owner.library is None:
            owner.dollop.uid = new_uid()
            renewed.append(owner)
        seen.add(owner.dollop.uid)
    return renewed


def repair_all() -> None:
    """Repair every object's and scene's identifier of the open file."""
    repair_duplicates(item for item in bpy.data.objects if item.dollop.uid)
    repair_duplicates(item for item in bpy.data.scenes if item.dollop.uid)


def bodies_of(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """Return the scene's bodies, ordered by identifier so that renaming does not reorder a bake."""
    return _members(scene, "is_body")


def colliders_of(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """Return the scene's colliders, ordered by identifier."""
    return _members(scene, "is_collider")


def _members(scene: bpy.types.Scene, flag: str) -> list[bpy.types.Object]:
    members = [item for item in scene.objects if getattr(item.dollop, flag)]
    return sorted(members, key=lambda item: item.dollop.uid)


def find_by_uid(scene: bpy.types.Scene, uid: str) -> bpy.types.Object | None:
    """Return the body or collider of that identifier, whatever it is called by now."""
    return next((item for item in scene.objects if item.dollop.uid == uid), None)
