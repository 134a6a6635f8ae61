"""Line charts as SVG, a few panels side by side. numpy only."""

from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Span = tuple[float, float]

WIDTH, HEIGHT = 360, 270  # of a panel, in pixels
LEFT, RIGHT, TOP, BOTTOM = 58, 12, 28, 44
COLOURS = ("#c0392b", "#1f5fa8", "#2e8b57", "#8e44ad")


@dataclass(frozen=True)
class Curve:
    """Points x (n,), y (n,) joined by a line; with `dots` each is marked, with `dashed` the line is broken."""

    label: str
    x: Array
    y: Array
    dots: bool = False
    dashed: bool = False


@dataclass(frozen=True)
class Panel:
    """Curves in a frame; points outside its spans are left out. Ticks (k,) are in the data's units."""

    title: str
    x_label: str
    y_label: str
    curves: tuple[Curve, ...]
    x_span: Span
    y_span: Span
    x_ticks: tuple[float, ...]
    y_ticks: tuple[float, ...]
    logarithmic: bool = False

    def place(self, x: Array, y: Array) -> tuple[Array, Array]:
        """Pixels from the panel's upper left corner."""
        scale = np.log10 if self.logarithmic else np.asarray
        (x0, x1), (y0, y1) = scale(self.x_span), scale(self.y_span)
        across = (scale(x) - x0) / (x1 - x0) * (WIDTH - LEFT - RIGHT) + LEFT
        down = (y1 - scale(y)) / (y1 - y0) * (HEIGHT - TOP - BOTTOM) + TOP
        return across, down


def svg(panels: list[Panel], columns: int) -> str:
    """The panels as one picture, so many in a row."""
    rows = -(-len(panels) // columns)
    width, height = columns * WIDTH, rows * HEIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
        ' font-family="sans-serif" font-size="11">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for k, panel in enumerate(panels):
        parts += [f'<g transform="translate({k % columns * WIDTH} {k // columns * HEIGHT})">', *_panel(panel), "</g>"]
    return "\n".join([*parts, "</svg>", ""])


def _panel(panel: Panel) -> list[str]:
    wide, high = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    frame = f'x="{LEFT}" y="{TOP}" width="{wide}" height="{high}"'
    parts = [
        *_ticks(panel),
        f'<rect {frame} fill="none" stroke="#444"/>',
        _text(LEFT + 0.5 * wide, TOP - 9, panel.title, 'text-anchor="middle" font-size="13"'),
        _text(LEFT + 0.5 * wide, HEIGHT - 8, panel.x_label, 'text-anchor="middle"'),
        _text(0, 0, panel.y_label, f'text-anchor="middle" transform="translate(13 {TOP + 0.5 * high}) rotate(-90)"'),
    ]
    for k, curve in enumerate(panel.curves):
        parts += _curve(panel, curve, COLOURS[k])
        if len(panel.curves) > 1:
            parts.append(_text(LEFT + 10, TOP + 16 + 14 * k, curve.label, f'fill="{COLOURS[k]}"'))
    return parts


def _ticks(panel: Panel) -> list[str]:
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    parts = []
    across, _ = panel.place(np.array(panel.x_ticks), np.full(len(panel.x_ticks), panel.y_span[0]))
    for x, tick in zip(across, panel.x_ticks, strict=True):
        parts.append(f'<path d="M{x:.1f} {TOP}V{bottom}" stroke="#ddd"/>')
        parts.append(_text(x, bottom + 14, f"{tick:.6g}", 'text-anchor="middle"'))
    _, down = panel.place(np.full(len(panel.y_ticks), panel.x_span[0]), np.array(panel.y_ticks))
    for y, tick in zip(down, panel.y_ticks, strict=True):
        parts.append(f'<path d="M{LEFT} {y:.1f}H{right}" stroke="#ddd"/>')
        parts.append(_text(LEFT - 5, y + 4, f"{tick:g}", 'text-anchor="end"'))
    return parts


def _curve(panel: Panel, curve: Curve, colour: str) -> list[str]:
    inside = (panel.x_span[0] <= curve.x) & (curve.x <= panel.x_span[1])
    inside &= (panel.y_span[0] <= curve.y) & (curve.y <= panel.y_span[1])
    across, down = panel.place(curve.x[inside], curve.y[inside])
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(across, down, strict=True))
    dashes = ' stroke-dasharray="5 4"' if curve.dashed else ""
    parts = [f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.8"{dashes}/>']
    if curve.dots:
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in zip(across, down, strict=True)]
    return parts


def _text(x: float, y: float, words: str, attributes: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" {attributes}>{escape(words)}</text>'
