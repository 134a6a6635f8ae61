"""What the artist has chosen moves on to the goo when its body goes out of sight, and back when the goo goes."""

from collections.abc import Iterator
from contextlib import contextmanager

import bpy

from .identity import bodies_of, find_by_uid
from .result_mesh import RESULT_OF, result_for, results_of


@contextmanager
def goo_takes_over(scene: bpy.types.Scene) -> Iterator[None]:
    """Where a body was active or selected and is hidden in between, its goo is so afterwards, in each view layer.

    A body in edit mode stays active: Blender keeps the mode with it.
    """
    before = [
        (layer, body, layer.objects.active == body, body.select_get(view_layer=layer))
        for layer in scene.view_layers
        for body in bodies_of(scene)
        if body.mode == "OBJECT" and body.visible_get(view_layer=layer)
    ]
    yield
    for layer, body, was_active, was_selected in before:
        goo = result_for(scene, body.dollop.uid)
        if goo is not None and goo.visible_get(view_layer=layer) and not body.visible_get(view_layer=layer):
            if was_active:
                layer.objects.active = goo
            if was_active or was_selected:
                goo.select_set(True, view_layer=layer)


@contextmanager
def body_takes_over(scene: bpy.types.Scene) -> Iterator[None]:
    """Where a goo was active or selected and is removed in between, its body is so afterwards, in each view layer."""
    before = [
        (layer, find_by_uid(scene, goo[RESULT_OF]), layer.objects.active == goo, goo.select_get(view_layer=layer))
        for layer in scene.view_layers
        for goo in results_of(scene)
    ]
    yield
    for layer, body, was_active, was_selected in before:
        if body is not None and result_for(scene, body.dollop.uid) is None and body.visible_get(view_layer=layer):
            if was_active:
                layer.objects.active = body
            if was_selected:
                body.select_set(True, view_layer=layer)
