"""Rows of an array outside a tile, one for each lane, that a tile loop writes its components into."""

from collections.abc import Sequence
from typing import Any

import llvmlite.ir as ir  # type: ignore[import-untyped]

_INT, _WORD = ir.IntType(32), ir.IntType(64)


class Rows:
    """An array outside the tile that holds a row for each lane."""

    def __init__(self, code: Any, data: Any, element: Any) -> None:
        self.code, self.data, self.element = code, data, element

    def put(self, width: int, lane: Any, first: int, values: Sequence[Any], adds: bool) -> None:
        code = self.code
        base = code.builder.gep(self.data, [code.builder.mul(code.base, _WORD(width))])
        columns = [code.number(value).value for value in values]
        k = 0
        while k < len(columns):
            several = next((m for m in (8, 4) if m <= min(code.lanes, len(columns) - k)), 1)
            for row, vector in enumerate(_turned(code, columns[k : k + several])):
                self._store(code.builder.gep(base, [_WORD(row * width + first + k)]), vector, adds)
            k += several

    def _store(self, place: Any, vector: Any, adds: bool) -> None:
        builder, kind = self.code.builder, self.element
        if isinstance(vector.type, ir.VectorType):
            kind = ir.VectorType(self.element, vector.type.count)
            place = builder.bitcast(place, kind.as_pointer())
        if vector.type != kind:
            vector = (builder.fpext if self.element == ir.DoubleType() else builder.fptrunc)(vector, kind)
        size = 8 if self.element == ir.DoubleType() else 4
        if adds:
            before = builder.load(place)
            before.align = size
            vector = builder.fadd(before, vector)
        builder.store(vector, place, align=size)


def _turned(code: Any, columns: list[Any]) -> list[Any]:
    """Rows, one a lane, of 8, 4 or 1 columns."""
    count, lanes = len(columns), code.lanes
    if count == 1:
        return [code.builder.extract_element(columns[0], _INT(k)) for k in range(lanes)]
    turned = _blocks_turned(code, columns)
    if count == lanes:
        return turned
    parts = [[*range(start, start + count)] for start in range(0, lanes, count)]
    return [code.shuffled(row, row, part) for part in parts for row in turned]


def _blocks_turned(code: Any, rows: list[Any]) -> list[Any]:
    """All 4x4 or 8x8 blocks of rows turned round together, by shuffles that processors have: in pairs, in fours, across halves
    of eight."""
    count, lanes = len(rows), code.lanes
    halves = range(0, lanes, 4)
    fours = []
    for k in range(0, count, 4):
        a, b, c, d = rows[k : k + 4]
        pairs = []
        for x, y in ((a, b), (c, d)):
            for at in (0, 2):
                pairs.append(code.shuffled(x, y, [p for h in halves for q in (at, at + 1) for p in (h + q, h + q + lanes)]))
        low, high = (pairs[0], pairs[2]), (pairs[1], pairs[3])
        for x, y in (low, high):
            for at in (0, 2):
                places = [p for h in halves for q in (h + at, h + at + lanes) for p in (q, q + 1)]
                fours.append(code.shuffled(x, y, places))
    if count == 4:
        return fours
    eights = range(0, lanes, 8)
    parts = [[p for h in eights for q in (h + at, h + at + lanes) for p in range(q, q + 4)] for at in (0, 4)]
    return [code.shuffled(fours[k], fours[k + 4], part) for part in parts for k in range(4)]
