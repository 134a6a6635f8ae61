"""What a plot declares about itself: panels of curves, and numbers of them with the bands they lie in."""

from collections.abc import Callable
from dataclasses import dataclass

from .chart import Panel


@dataclass(frozen=True)
class Plot:
    """One figure of a paper; bands are least and most of each number, from the formula and not from what came out."""

    title: str
    source: str
    panels: Callable[[], list[Panel]]
    columns: int
    measure: Callable[[], dict[str, float]]
    bands: dict[str, tuple[float, float]]
