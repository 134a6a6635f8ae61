"""What renders use where a material names no layer, UVs and a colour, of a body that another one takes in.

It goes on under the names that it has on the other body too. Its own names stay, as materials ask for those as well.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..cache.topology import NamedArray, SurfaceTopology

Array = NDArray[np.floating]

_COLOURS = ("FLOAT_COLOR", "BYTE_COLOR")  # linear, and as stored: by the transfer function of sRGB


def named_as_on(first: SurfaceTopology, second: SurfaceTopology) -> SurfaceTopology:
    """Return the second record with what renders use under the first one's names too.

    Colours under a name that the first one has are of its domain and type then.
    """
    return _colours_as_on(first, _uvs_as_on(first, second))


def _uvs_as_on(first: SurfaceTopology, second: SurfaceTopology) -> SurfaceTopology:
    if not first.active_uv or second.active_uv not in second.uv_layers:
        return second
    return replace(second, uv_layers={**second.uv_layers, first.active_uv: second.uv_layers[second.active_uv]})


def _colours_as_on(first: SurfaceTopology, second: SurfaceTopology) -> SurfaceTopology:
    layers = {layer.name: layer for layer in second.attributes}
    if first.active_color and second.active_color in layers:
        layers[first.active_color] = replace(layers[second.active_color], name=first.active_color)
    for like in first.attributes:
        own = layers.get(like.name)
        if own is not None and like.type in _COLOURS and own.type in _COLOURS:
            layers[like.name] = _converted(own, like, second)
    return replace(second, attributes=tuple(layers.values()))


def _converted(layer: NamedArray, like: NamedArray, record: SurfaceTopology) -> NamedArray:
    """Return a colour layer of the record in the domain and of the type of another."""
    values = layer.values
    if (layer.domain, like.domain) == ("POINT", "CORNER"):
        values = values[record.corner_vertices]
    elif (layer.domain, like.domain) == ("CORNER", "POINT"):
        values = _mean_of_corners(values, record)
    if (layer.type, like.type) == ("BYTE_COLOR", "FLOAT_COLOR"):
        values = _with_alpha_kept(values, _linear)
    elif (layer.type, like.type) == ("FLOAT_COLOR", "BYTE_COLOR"):
        values = _with_alpha_kept(np.clip(values, 0.0, 1.0), _stored)
    return replace(layer, domain=like.domain, type=like.type, values=values.astype(np.float32))


def _mean_of_corners(values: Array, record: SurfaceTopology) -> Array:
    """The mean of the corners at each vertex; 0 where a vertex has none."""
    total = np.zeros((record.vertex_count, values.shape[1]))
    np.add.at(total, record.corner_vertices, values)
    return total / np.maximum(np.bincount(record.corner_vertices, minlength=record.vertex_count), 1)[:, None]


def _with_alpha_kept(values: Array, change: Callable[[Array], Array]) -> Array:
    """Change the colour, not the alpha, which is linear in both."""
    return np.concatenate([change(values[:, :3]), values[:, 3:]], axis=1)


def _linear(stored: Array) -> Array:
    """IEC 61966-2-1, by which Blender stores bytes."""
    return np.where(stored > 0.04045, ((stored + 0.055) / 1.055) ** 2.4, stored / 12.92)


def _stored(linear: Array) -> Array:
    return np.where(linear > 0.0031308, 1.055 * linear ** (1.0 / 2.4) - 0.055, 12.92 * linear)
