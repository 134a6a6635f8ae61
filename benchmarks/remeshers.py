"""The two remeshers beside each other: what each makes of the same worn bodies, and how long it takes.

    python benchmarks/remeshers.py [--shapes "ball" "box"] [--turns 3]
    python benchmarks/remeshers.py --shapes "box" "flat ball" "bun" "sheet" --picture remeshed_tets.jpg

Bodies are those of tests/remesh/worn.py; each is remeshed with so many turns of the lattice, by both remeshers alternately,
compiled before the first is timed. Process time of one thread, the median; of everything else the worst. The picture shows the
surfaces of the tets: the old ones above, below them those of each remesher.
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "tools")]

from environment import development_venv, run_environment


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shapes", nargs="*", help="names of bodies; all by default")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--picture", type=Path, help="a JPEG instead of the table")
    options = parser.parse_args()
    python = development_venv("cp311")
    if Path(sys.executable) != python or os.environ.get("NUMBA_NUM_THREADS") != "1":
        threads = {"OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
        return subprocess.call([str(python), __file__, *sys.argv[1:]], env={**run_environment(), **threads})
    from tests.remesh.worn import SHAPES

    if options.picture:
        picture(options.shapes or list(SHAPES), options.picture.resolve())
    else:
        compare(options.shapes or list(SHAPES), options.turns)
    return 0


def picture(names: list[str], file: Path) -> None:
    """Draw each body's old and new tets."""
    from remeshed_picture import draw

    from solver.remesh.remeshers import remeshed
    from solver.remesh.restuffing import lattice_turn
    from solver.scene import REMESHERS
    from tests.remesh.worn import SHAPES, SIZE

    columns = []
    for name in names:
        old = SHAPES[name]()
        columns.append([old, *(remeshed(remesher, old, SIZE, lattice_turn(2)) for remesher in REMESHERS)])
    draw(columns, file)


def compare(names: list[str], turns: int) -> None:
    """Print a table: a row for each body and remesher."""
    from solver.remesh.remeshers import remeshed
    from solver.remesh.restuffing import lattice_turn
    from solver.scene import REMESHERS
    from solver.tetmesh.mesh import TetMesh
    from tests.remesh.worn import SHAPES, SIZE, distance, largest_angle, smallest_angle, volume, worst_condition

    print("| body | remesher | tets | s | worst condition | angles from | to | volume off by | old to new | new to old |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    ready = SHAPES["ball"]()
    for remesher in REMESHERS:
        remeshed(remesher, ready, SIZE, lattice_turn(1))
    for name in names:
        old = SHAPES[name]()
        taken: dict[str, list[float]] = {remesher: [] for remesher in REMESHERS}
        made: dict[str, list[TetMesh]] = {remesher: [] for remesher in REMESHERS}
        for turn in range(1, turns + 1):
            for remesher in REMESHERS:
                fresh, start = TetMesh(old.positions, old.tets), time.process_time()
                made[remesher].append(remeshed(remesher, fresh, SIZE, lattice_turn(turn)))
                taken[remesher].append(time.process_time() - start)
        for remesher, meshes in made.items():
            off = max(abs(volume(mesh) / volume(old) - 1.0) for mesh in meshes)
            apart = max(distance(old, mesh) for mesh in meshes) / SIZE, max(distance(mesh, old) for mesh in meshes) / SIZE
            print(
                f"| {name} | {remesher} | {len(old.tets)} to {len(meshes[0].tets)} | {statistics.median(taken[remesher]):.2f} "
                f"| {max(map(worst_condition, meshes)):.1f} | {min(map(smallest_angle, meshes)):.0f} "
                f"| {max(map(largest_angle, meshes)):.0f} | {off:.0e} "
                f"| {apart[0]:.2f} | {apart[1]:.2f} |",
                flush=True,
            )


if __name__ == "__main__":
    sys.exit(main())
