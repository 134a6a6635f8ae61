"""From an elastic law's formula to machine code: a loop over the lanes of a tile, called by its address.

By address, so that tiles of different laws run side by side and a bake compiles only the laws that it uses.
"""

from ctypes import CFUNCTYPE, c_ssize_t, c_void_p
from functools import cache
from types import FunctionType
from typing import Any

import numpy as np
from numba import from_dtype, types
from numpy.typing import NDArray

from ..jit import TILE, compile_phase
from ..jit.tile_code import tile_loop, tile_question
from ..materials.elasticity import laws
from ..slots import ELASTIC_FIRST, ELASTIC_SECOND, ENERGY, LAMBDA, MATERIAL, MU, SLOTS, E, H, Q
from .direct import direct_blocks, direct_phase

T = TILE
M = MATERIAL
response: Any  # given to each law's copy of a phase


def principal_response(
    law: str, stretches: NDArray[np.float64], mu: float, lam: float, first: float = 0.0, second: float = 0.0
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """A law at principal stretches (n, 3): energy density (n,) [J/m^3], P (n, 3) and its derivative (n, 3, 3) [Pa].

    `mu`, `lam` are Lame's parameters at small strains [Pa]; `first`, `second` the law's own parameters in their order.
    """
    given = np.asarray(stretches, dtype=np.float64)
    if given.ndim != 2 or given.shape[1] != 3:
        raise ValueError(f"stretches have shape {given.shape}, not (n, 3)")
    address, *_ = phase_addresses(list(laws()).index(law), np.float64)
    respond = CFUNCTYPE(None, c_void_p, c_ssize_t, c_ssize_t)(address)
    tile, result = np.ones((SLOTS, T)), np.empty((len(given), 10))
    tile[[M + MU, M + LAMBDA, M + ELASTIC_FIRST, M + ELASTIC_SECOND]] = np.array([[mu], [lam], [first], [second]])
    for start in range(0, len(given), T):
        some = given[start : start + T]
        tile[E : E + 3, : len(some)] = some.T
        respond(tile.ctypes.data, 0, len(some))
        result[start : start + T] = tile[[ENERGY, Q, Q + 1, Q + 2, *range(H, H + 6)], : len(some)].T
    order = np.array([[4, 7, 8], [7, 5, 9], [8, 9, 6]])
    return result[:, 0].copy(), result[:, 1:4].copy(), result[:, order]


@cache
def phase_addresses(index: int, precision: Any) -> tuple[int, int, int]:
    """Addresses of a law's phases for tiles of a precision, by its place in `laws` (State.material's ELASTIC_LAW).

    The second and third, for a whole tile's forces and its stiffness by invariants (direct.py), are 0 where the law has none.
    """
    law = list(laws().values())[index]
    tile = types.CPointer(from_dtype(np.dtype(precision)))
    loops = {"whole": tile_loop(_with_formula(_whole, law.response)), "part": tile_loop(_with_formula(_part, law.response))}
    address = _compiled(_run, loops, law.identifier, types.void(tile, types.intp, types.intp))
    if law.by_invariants is None:
        return address, 0, 0
    forces, stiffness = (_with_formula(template, law.by_invariants) for template in (direct_phase, direct_blocks))
    direct = _compiled(_ask, {"loop": tile_question(forces)}, law.identifier, types.boolean(tile, tile))
    return address, direct, _compiled(_fill, {"loop": tile_loop(stiffness)}, law.identifier, types.void(tile, tile))


def _with_formula(template: Any, formula: Any) -> Any:
    """A copy of a phase whose `response` is a law's formula."""
    return FunctionType(template.__code__, {**template.__globals__, "response": formula}, template.__name__)


def _compiled(entry: Any, loops: dict[str, Any], name: str, signature: Any) -> int:
    """The address of a phase behind an entry, which calls loops by their names."""
    own = FunctionType(entry.__code__, {**loops, "T": T, "__name__": __name__}, entry.__name__)
    own.__qualname__ = f"{entry.__name__}_{name}_{signature.args[0].dtype}"  # numba keeps compiled code by this name
    address: int = compile_phase(own, signature).address
    return address


def _run(tile: Any, first: int, last: int) -> None:
    if first == 0 and last == T:
        whole(tile)  # type: ignore[name-defined]  # noqa: F821
    else:
        part(tile, first, last)  # type: ignore[name-defined]  # noqa: F821


def _ask(tile: Any, forces: Any) -> Any:
    return loop(tile, forces)  # type: ignore[name-defined]  # noqa: F821


def _fill(tile: Any, blocks: Any) -> None:
    loop(tile, blocks)  # type: ignore[name-defined]  # noqa: F821


def _whole(w: Any) -> None:
    """Let a tile respond: from the elastic stretches to energy, stress and second derivatives."""
    for i in range(T):
        _answer(response, w, i)  # noqa: F821


def _part(w: Any, first: int, last: int) -> None:
    """The same of lanes first .. last - 1, which takes several times as long: others must not be written to."""
    for i in range(first, last):
        _answer(response, w, i)  # noqa: F821


def _answer(formula, w, i):  # type: ignore[no-untyped-def]
    """A lane's response by a law's formula."""
    e, p0, p1, p2, h00, h11, h22, h01, h02, h12 = formula(
        w[E * T + i], w[(E + 1) * T + i], w[(E + 2) * T + i], w[(M + MU) * T + i], w[(M + LAMBDA) * T + i],
        w[(M + ELASTIC_FIRST) * T + i], w[(M + ELASTIC_SECOND) * T + i],
    )  # fmt: skip
    w[ENERGY * T + i] = e
    w[Q * T + i], w[(Q + 1) * T + i], w[(Q + 2) * T + i] = p0, p1, p2
    w[H * T + i], w[(H + 1) * T + i], w[(H + 2) * T + i] = h00, h11, h22
    w[(H + 3) * T + i], w[(H + 4) * T + i], w[(H + 5) * T + i] = h01, h02, h12
