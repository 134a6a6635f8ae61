"""From an elastic law's formula to machine code: a loop over the lanes of a tile, called by its address.

By address, so that tiles of different laws run side by side and a bake compiles only the laws that it uses.
"""

from ctypes import CFUNCTYPE, c_ssize_t, c_void_p
from functools import cache
from types import FunctionType
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from ..jit import TILE, compile_phase
from ..materials.elasticity import laws
from ..slots import ELASTIC_FIRST, ELASTIC_SECOND, ENERGY, LAMBDA, MATERIAL, MU, SLOTS, D, E, H, Q, S
from ..tile_code import tile_loop

T = TILE
M = MATERIAL
response: Any  # given to each copy of the phases


def principal_response(
    law: str, stretches: NDArray[np.float64], mu: float, lam: float, first: float = 0.0, second: float = 0.0
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """A law at principal stretches (n, 3): energy density (n,) [J/m^3], P (n, 3) and its derivative (n, 3, 3) [Pa].

    `mu`, `lam` are Lame's parameters at small strains [Pa]; `first`, `second` the law's own parameters in their order.
    """
    given = np.asarray(stretches, dtype=np.float64)
    if given.ndim != 2 or given.shape[1] != 3:
        raise ValueError(f"stretches have shape {given.shape}, not (n, 3)")
    address, _ = phase_addresses(list(laws()).index(law), np.float64)
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
def phase_addresses(index: int, precision: Any) -> tuple[int, int]:
    """Addresses of a law's phases for tiles of a precision, by its place in `laws` (State.material's ELASTIC_LAW).

    The second, by invariants, is 0 where the law has none.
    """
    law = list(laws().values())[index]
    direct = 0 if law.by_invariants is None else _compiled(_invariant_phase, law.by_invariants, law.identifier, precision)
    return _compiled(_phase, law.response, law.identifier, precision), direct


def _compiled(template: Any, formula: Any, name: str, precision: Any) -> int:
    """The address of a template's loop around a formula."""
    own = FunctionType(template.__code__, {**globals(), "response": formula}, template.__name__)
    phase = FunctionType(_run.__code__, {"loop": tile_loop(own), "__name__": __name__}, template.__name__)
    phase.__qualname__ = f"{template.__name__}_{name}_{np.dtype(precision).name}"  # numba keeps compiled code by this name
    address: int = compile_phase(phase, precision).address
    return address


def _run(pointer: Any, first: int, last: int) -> None:
    """What is compiled for numba to call."""
    loop(pointer, first, last)  # type: ignore[name-defined]  # noqa: F821


def _phase(w: Any, first: int, last: int) -> None:
    """Let lanes first .. last - 1 respond: from the elastic stretches to energy, stress and second derivatives."""
    for i in range(first, last):
        e, p0, p1, p2, h00, h11, h22, h01, h02, h12 = response(  # noqa: F821
            w[E * T + i], w[(E + 1) * T + i], w[(E + 2) * T + i], w[(M + MU) * T + i], w[(M + LAMBDA) * T + i],
            w[(M + ELASTIC_FIRST) * T + i], w[(M + ELASTIC_SECOND) * T + i],
        )  # fmt: skip
        w[ENERGY * T + i] = e
        w[Q * T + i], w[(Q + 1) * T + i], w[(Q + 2) * T + i] = p0, p1, p2
        w[H * T + i], w[(H + 1) * T + i], w[(H + 2) * T + i] = h00, h11, h22
        w[(H + 3) * T + i], w[(H + 4) * T + i], w[(H + 5) * T + i] = h01, h02, h12


def _invariant_phase(w: Any, first: int, last: int) -> None:
    """The same by invariants: I and J lie in the first two slots of S, the derivatives go to D."""
    for i in range(first, last):
        e, w_i, w_j, w_ii, w_ij, w_jj = response(  # noqa: F821
            w[S * T + i], w[(S + 1) * T + i], w[(M + MU) * T + i], w[(M + LAMBDA) * T + i],
            w[(M + ELASTIC_FIRST) * T + i], w[(M + ELASTIC_SECOND) * T + i],
        )  # fmt: skip
        w[ENERGY * T + i] = e
        w[D * T + i], w[(D + 1) * T + i], w[(D + 2) * T + i] = w_i, w_j, w_ii
        w[(D + 3) * T + i], w[(D + 4) * T + i] = w_ij, w_jj


@intrinsic  # type: ignore[untyped-decorator]
def run_phase(_context, address, tile, first, last):  # type: ignore[no-untyped-def]
    """Call the phase at an address on a tile's flat row."""

    def generate(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        data = context.make_array(signature.args[1])(context, builder, arguments[1]).data
        whole = context.get_value_type(types.intp)
        callee = ir.FunctionType(ir.VoidType(), [data.type, whole, whole])
        builder.call(builder.inttoptr(arguments[0], callee.as_pointer()), [data, arguments[2], arguments[3]])
        return context.get_dummy_value()

    return types.void(address, tile, types.intp, types.intp), generate
