"""A frame as the named arrays of its file: "<uid>.positions", ".origin", ".topology" and ".attribute.<name>" of each body."""

import numpy as np
from numpy.typing import NDArray

from ..errors import CacheError
from ..frame import BodyFrame, Frame
from .layout import safe


def to_arrays(frame: Frame) -> dict[str, NDArray]:
    """Return all bodies' arrays by name. Raises ValueError for an identifier that is not file-safe."""
    arrays: dict[str, NDArray] = {}
    for body in frame.bodies:
        uid = safe(body.uid)
        arrays[f"{uid}.positions"] = np.asarray(body.positions, np.float32)
        arrays[f"{uid}.origin"] = np.asarray(body.origin, np.float64)
        arrays[f"{uid}.topology"] = np.array(body.topology, np.int64)
        arrays |= {f"{uid}.attribute.{name}": values for name, values in body.attributes.items()}
    return arrays


def body_frame(arrays: dict[str, NDArray], uid: str, number: int) -> BodyFrame:
    """Return the body; raise CacheError if its arrays do not fit together, as another program may have written them."""
    prefix = f"{uid}.attribute."
    positions = arrays[f"{uid}.positions"]
    attributes = {key.removeprefix(prefix): values for key, values in arrays.items() if key.startswith(prefix)}
    origin, topology = arrays.get(f"{uid}.origin"), arrays.get(f"{uid}.topology")
    if (
        origin is None
        or topology is None
        or (positions.ndim, positions.shape[1:], positions.dtype) != (2, (3,), np.float32)
        or any(values.shape[:1] != positions.shape[:1] for values in attributes.values())
    ):
        raise CacheError("The body's arrays do not fit together.", body=uid, frame=number, remedy="Bake again.")
    return BodyFrame(uid, origin, positions, attributes, int(topology))
