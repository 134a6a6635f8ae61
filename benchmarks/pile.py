"""How still a pile of ten bodies lies: five starts, each moved by a nanometre, at two resolutions.

    python benchmarks/pile.py [CELLS ...]          cells across a ball, 3 and 5 unless told

The pile of tests/surface_contact; what moves most in the 100 frames after the first 230, over the pile's size, the same in each
20 frames, and Newton's iterations a step before and in them.
"""

import sys
from pathlib import Path
from time import process_time

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np

from tests.surface_contact.test_bodies import RUBBER, pile

STARTS, FALL, REST, PART = 5, 230, 100, 20


def lain(cells: int, seed: int) -> str:
    """What one start comes to."""
    run, begun = pile(RUBBER | {"damping": 60.0}, cells), process_time()
    run.state.positions = run.state.positions + 1e-9 * np.random.default_rng(seed).normal(size=run.state.positions.shape)
    effort, places = np.zeros((2, 2)), []
    for frame in range(FALL + REST):
        statistics = run.advance().statistics
        effort[int(frame >= FALL)] += statistics["newton_iterations"], statistics["substeps"]
        if frame >= FALL - 1:
            places.append(run.state.positions.copy())
    way, size = np.array(places), np.ptp(places[0], axis=0).max()
    parts = [np.abs(way[k : k + PART + 1] - way[k]).max() / size for k in range(0, REST, PART)]
    fallen, lying = effort[:, 0] / effort[:, 1]
    return (
        f"cells {cells} seed {seed}: {np.abs(way - way[0]).max() / size:.1e}  by {PART}: {' '.join(f'{p:.0e}' for p in parts)}"
        f"  iterations {fallen:.2f} {lying:.2f}  {process_time() - begun:.0f} s"
    )


if __name__ == "__main__":
    for cells in [int(word) for word in sys.argv[1:]] or [3, 5]:
        for seed in range(1, STARTS + 1):
            print(lain(cells, seed), flush=True)
