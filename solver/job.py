"""A job on disk, for the child process that solves it: numbers as JSON, arrays as .npz; no pickle.

scene.json, scene.npz       the solver's scene
topology_<uid>.dollop.npz   the artist's polygons, UVs and attributes of a body, passed on to the cache
origin.json                 where the job comes from: "versions" of what starts the bake, and what the manifest is to keep
"""

import hashlib
import json
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from .cache import SurfaceTopology
from .cache.archive import pack, unpack
from .cache.topology import from_arrays, to_arrays
from .errors import SceneError
from .force_fields.field import ForceField
from .materials import Material
from .pins.pin import Pin
from .scene import Body, Collider, Scene, Settings, Surface

FORMAT = 1
_CLASSES = {cls.__name__: cls for cls in (Scene, Body, Collider, Settings, Surface, Material, Pin, ForceField)}


_TOPOLOGY_SUFFIX = ".dollop.npz"


def write_job(
    scene: Scene,
    folder: Path,
    topologies: dict[str, SurfaceTopology] | None = None,
    origin: dict[str, Any] | None = None,
) -> None:
    """Write the scene, each body's polygons by uid, and plain data on the job's origin into an existing folder."""
    arrays: dict[str, np.ndarray] = {}
    document = {"format": FORMAT, "scene": _encode(scene, arrays)}
    (folder / "scene.json").write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
    with open(folder / "scene.npz", "wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]
    for uid, topology in (topologies or {}).items():
        (folder / f"topology_{uid}{_TOPOLOGY_SUFFIX}").write_bytes(pack(to_arrays(topology)))
    (folder / "origin.json").write_text(json.dumps(origin or {}, ensure_ascii=False), encoding="utf-8")


def read_job(folder: Path) -> Scene:
    """Read the scene that write_job wrote."""
    document = json.loads((folder / "scene.json").read_text(encoding="utf-8"))
    if document.get("format") != FORMAT:
        raise SceneError(f"The job has format {document.get('format')}, not {FORMAT}.", remedy="Start the bake again.")
    with np.load(folder / "scene.npz", allow_pickle=False) as arrays:
        return _decode(document["scene"], dict(arrays))


def read_topologies(folder: Path) -> dict[str, SurfaceTopology]:
    """Read the bodies' polygons that write_job wrote, by uid."""
    return {
        path.name.removeprefix("topology_").removesuffix(_TOPOLOGY_SUFFIX): from_arrays(unpack(path.read_bytes()))
        for path in sorted(folder.glob(f"topology_*{_TOPOLOGY_SUFFIX}"))
    }


def read_origin(folder: Path) -> dict[str, Any]:
    """Read the job's origin that write_job wrote."""
    return dict(json.loads((folder / "origin.json").read_text(encoding="utf-8")))


def scene_hash(scene: Scene, last_frame: int) -> str:
    """Return a hash of everything that the frames up to `last_frame` depend on, and of nothing later.

    So a bake can be continued over a longer frame range, on another number of threads, or with later keys changed.
    """
    count = last_frame - scene.settings.frame_start + 2
    relevant = replace(
        scene,
        settings=replace(scene.settings, frame_end=0, threads=0, gravity_keys=_settled_gravity(scene.settings, count - 1)),
        bodies=tuple(_settled_body(item, count - 1) for item in scene.bodies),
        colliders=tuple(item.until(count - 1) for item in scene.colliders),
        force_fields=tuple(item.until(count - 1) for item in scene.force_fields),
    )
    arrays: dict[str, np.ndarray] = {}
    digest = hashlib.blake2b(json.dumps(_encode(relevant, arrays), sort_keys=True).encode(), digest_size=16)
    for key in sorted(arrays):
        digest.update(key.encode() + str(arrays[key].shape).encode() + np.ascontiguousarray(arrays[key]).tobytes())
    return digest.hexdigest()


def _settled_body(body: Body, count: int) -> Body:
    """The body with what it is keyed to in its first frames; a key that has not moved yet hashes like no key."""
    keys = {name: _settled(values[:count]) for name, values in body.keys.items()}
    moving = {name: values for name, values in keys.items() if len(values) > 1}
    switches = {name: _settled(values[:count]) for name, values in body.switches.items()}
    switched = {name: values for name, values in switches.items() if len(values) > 1}
    pins = tuple(_settled_pin(pin, count) for pin in body.pins)
    activation, rise = _settled(body.activation[:count]), _settled(body.rise[:count])
    return replace(body, activation=activation, rise=rise, keys=moving, switches=switched, pins=pins)


def _settled_pin(pin: Pin, count: int) -> Pin:
    """The same of a pin, whose targets begin a frame earlier."""
    targets = None if pin.targets is None else _settled(pin.targets[: count + 1])
    return replace(pin, targets=targets, strength=_settled(pin.strength[:count]))


def _settled_gravity(settings: Settings, count: int) -> np.ndarray | None:
    """The same for gravity."""
    keys = None if settings.gravity_keys is None else _settled(settings.gravity_keys[:count])
    return None if keys is None or len(keys) == 1 else keys


def _settled(keys: np.ndarray) -> np.ndarray:
    """What has not changed yet, as a collider before it moves, hashes like what never does."""
    return keys[:1] if (keys == keys[0]).all() else keys


def _encode(value: Any, arrays: dict[str, np.ndarray]) -> Any:
    if isinstance(value, np.ndarray):
        key = f"array_{len(arrays)}"
        arrays[key] = value
        return {"array": key}
    if is_dataclass(value) and not isinstance(value, type):
        members = {field.name: _encode(getattr(value, field.name), arrays) for field in fields(value)}
        return {"class": type(value).__name__, "members": members}
    if isinstance(value, tuple | list):
        return [_encode(item, arrays) for item in value]
    if isinstance(value, dict):
        return {"dict": {key: _encode(item, arrays) for key, item in value.items()}}
    if isinstance(value, np.generic):
        return value.item()
    return value


def _decode(value: Any, arrays: dict[str, np.ndarray]) -> Any:
    if isinstance(value, list):
        return tuple(_decode(item, arrays) for item in value)
    if isinstance(value, dict):
        if "array" in value:
            return arrays[value["array"]]
        if "dict" in value:
            return {key: _decode(item, arrays) for key, item in value["dict"].items()}
        return _CLASSES[value["class"]](**{key: _decode(item, arrays) for key, item in value["members"].items()})
    return value
