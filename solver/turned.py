"""What is said of bodies of which tets stay inside out."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .errors import PlacedWarning
from .geometry.inside_out import count_inverted_and_flat
from .scene import Scene
from .state import Ranges

Array = NDArray[np.float64]

FLAT = 0.05  # of its rest volume, below which a tet is flat
PAUSE = 24  # frames in a row with something inside out, as a blow never leaves it, before a body is reported, and from then on


class TurnedReports:
    """Counts for each body the frames (bodies,) in a row at which some of its tets were inside out, and how many are now; and
    which share (bodies,) of its tets is `flat`."""

    def __init__(self, bodies: int) -> None:
        self.frames: NDArray[np.int64] = np.zeros(bodies, dtype=np.int64)
        self.counts, self.flat = np.zeros((2, bodies))

    def look(self, positions: Array, tets: NDArray[np.int32], ranges: Ranges, rest: Array) -> float:
        """Take in a frame with nodes at positions (n, 3), tets (m, 4) of rest volumes (m,); how many are inside out of all."""
        each, least = pairwise(ranges.tets.tolist()), FLAT * rest
        self.counts, flat = np.transpose([count_inverted_and_flat(positions, tets[a:b], least[a:b]) for a, b in each])
        self.flat = flat / np.diff(ranges.tets)
        self.frames = np.where(self.counts > 0.0, self.frames + 1, 0)
        return float(self.counts.sum())

    def messages(
        self, frame: int, scene: Scene, positions: Array, tets: NDArray[np.int32], ranges: Ranges
    ) -> tuple[PlacedWarning, ...]:
        """Return a sentence for each body due."""
        due = np.flatnonzero((self.frames > 0) & (self.frames % PAUSE == 0))
        return tuple(self._sentence(body, frame, scene, positions, tets[slice(*ranges.tets[body : body + 2])]) for body in due)

    def _sentence(self, body: int, frame: int, scene: Scene, positions: Array, tets: NDArray[np.int32]) -> PlacedWarning:
        corners = positions[tets]
        turned = ~(np.linalg.det(corners[:, 1:] - corners[:, :1]) > 0.0)
        x, y, z = corners[turned if turned.any() else slice(None)].mean(axis=(0, 1))
        own, place = scene.bodies[body].name, f"near ({x:.3g}, {y:.3g}, {z:.3g})"
        remedy = "Give it more resolution, or let what presses it come more slowly."
        if scene.settings.body_contact != "all":
            remedy = "Set Body Contact to All, so that it cannot pass through itself."
        sentence = (
            f"'{own}', {place}, frame {frame}: {self.counts[body]:.0f} of its {len(tets)} tets have been inside out for "
            f"{self.frames[body]} frames. {remedy}"
        )
        return PlacedWarning(sentence, body=own, place=place)
