"""Dollop against newton's VBD on a thrown ball: CPU time a frame and error against a converged run, both in one run.

    python benchmarks/ball.py                          5k and 50k tets, three repeats
    python benchmarks/ball.py --sizes 5k 50k 200k
    python benchmarks/ball.py --sizes 50k --threads 2   also Dollop's wall time on two threads against one

See benchmarks/README.md for what is measured and how.
"""

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "tools")]

from environment import CACHE, development_venv, install, make_venv, run_environment
from pins import PINS

FOLDER = CACHE / "benchmarks"
VERLET_STEPS = {"5k": 500, "50k": 1500, "200k": 2000}  # a frame, in the coarser of two reference runs
NEWTON_ENERGY = "without_logarithm"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", nargs="+", default=["5k", "50k"], choices=tuple(VERLET_STEPS))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--model", default="stable_neo_hookean", help="Dollop's energy, a key of MODELS in dollop_ball.py")
    parser.add_argument("--substep", type=float, help="Dollop's, in seconds; its own default without it")
    parser.add_argument("--integrator", help="Dollop's; its own default without it")
    parser.add_argument("--threads", type=int, default=1, help="also time Dollop on so many threads")
    parser.add_argument("--cold", action="store_true", help="let each solver compile everything first, and report how long")
    options = parser.parse_args()
    os.environ.update(run_environment())
    dollop = development_venv("cp311")
    if Path(sys.executable) != dollop:  # the reference needs its numba
        return subprocess.call([str(dollop), str(Path(__file__).resolve()), *sys.argv[1:]])
    peers = peers_venv()
    with tempfile.TemporaryDirectory() as scratch:
        for size in options.sizes:
            print("\n".join(report(size, options, dollop, peers, Path(scratch))), flush=True)
    return 0


def peers_venv() -> Path:
    """The environment that holds newton, made on first use."""
    python = make_venv(CACHE / "venvs" / "peers", PINS["venvs"]["cp311"]["python"])
    install(python, [f"{name}=={version}" for name, version in PINS["peers"].items()])
    return python


@dataclass(frozen=True)
class Contact:
    """newton's spring for the ground, with the slope and about the reach of Dollop's barrier."""

    spring: float
    clearance: float


def report(size: str, options: argparse.Namespace, dollop: Path, peers: Path, scratch: Path) -> list[str]:
    """Run both `repeats` times by turns; return the table's lines."""
    import numpy as np
    from scene import FRAMES, deviation, load_mesh

    mesh = FOLDER / f"ball_{size}.npz"
    if not mesh.exists():
        _call([dollop, "-c", f"from scene import *; make_mesh({size!r}, Path({str(mesh)!r}))"], scratch / "kernels")
    ball = load_mesh(mesh)
    chosen = {"--substep": options.substep, "--integrator": options.integrator}
    ours = ["--model", options.model] + [str(word) for pair in chosen.items() if pair[1] is not None for word in pair]
    runs: dict[str, list[dict[str, np.ndarray]]] = {"dollop": [], "newton": []}
    caches, command = scratch / "kernels" if options.cold else None, [dollop, HERE / "dollop_ball.py", mesh]
    contact, many = None, []
    for _ in range(options.repeats):
        runs["dollop"].append(_run(command, FRAMES, ours, scratch, caches))
        if options.threads > 1:
            many.append(_run(command, FRAMES, [*ours, "--threads", str(options.threads)], scratch, None))
        first = runs["dollop"][0]
        contact = contact or Contact(float(first["stiffness"].mean()), float(first["reach"]))
        theirs = ["--spring", str(contact.spring), "--clearance", str(contact.clearance)]
        runs["newton"].append(_run([peers, HERE / "newton_ball.py", mesh], FRAMES, theirs, scratch, caches))
    grounds = {"dollop": ("barrier", first["stiffness"]), "newton": ("spring", np.full(len(ball.positions), contact.spring))}
    energies = {"dollop": options.model, "newton": NEWTON_ENERGY}
    lines = [f"\n{size}: {len(ball.tets)} tets, {len(ball.positions)} nodes, {options.repeats} repeats"]
    medians = {}
    for name, repeats in runs.items():
        times = [float(run["seconds"].mean()) for run in repeats]
        medians[name] = float(np.median(times))
        truth, doubt = converged(mesh, size, energies[name], *grounds[name], contact.clearance)
        error = deviation(repeats[0]["positions"], truth)
        lines.append(
            f"{name:8} {medians[name]:8.4f} s a frame ({min(times):.4f} to {max(times):.4f}), "
            f"error {1e3 * error:6.2f} mm (reference sure to {1e3 * doubt:.2f} mm), energy {energies[name]}, "
            f"first use {float(repeats[0]['first_use']):.1f} s{' cold' if options.cold else ''}; "
            f"{', '.join(repeats[0]['versions'])}"
        )
    substeps, iterations, linear = np.nanmean(first["effort"], axis=0)
    lines.append(f"ratio    {medians['newton'] / medians['dollop']:8.1f}   newton / Dollop")
    lines.append(f"Dollop a frame: {substeps:.1f} steps, {iterations:.1f} Newton and {linear:.0f} CG iterations")
    if options.threads > 1:
        lines.append(_scaling(options.threads, many, runs["dollop"]))
    return lines


def _scaling(threads: int, many: list[dict], alone: list[dict]) -> str:  # type: ignore[type-arg]
    """Wall time on several threads against one, medians of runs by turns, and whether the bytes agree."""
    import numpy as np

    same = all(np.array_equal(run["positions"], alone[0]["positions"]) for run in many)
    one, several = (float(np.median([run["wall"].mean() for run in runs])) for runs in (alone, many))
    return f"{threads} threads: wall {one:.4f} to {several:.4f} s a frame, {one / several:.2f} times; same bytes: {same}"


def _run(command: list, frames: int, extra: list[str], scratch: Path, caches: Path | None) -> dict:  # type: ignore[type-arg]
    import numpy as np

    out = scratch / "out.npz"
    _call([*command, out, "--frames", str(frames), *extra], caches)
    with np.load(out) as arrays:
        return dict(arrays)


def _call(command: list, caches: Path | None) -> None:  # type: ignore[type-arg]
    """Run a program on one thread unless it asks for more; `caches` replaces where compiled kernels are kept."""
    threads = command[command.index("--threads") + 1] if "--threads" in command else "1"
    environment = {**run_environment(), "PYTHONPATH": os.pathsep.join([str(HERE), str(HERE.parent)])}
    environment |= {"OMP_NUM_THREADS": threads, "NUMBA_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": "1"}  # as in a bake
    if caches is not None:
        environment |= {"NUMBA_CACHE_DIR": str(caches / "numba"), "WARP_CACHE_PATH": str(caches / "warp")}
    done = subprocess.run([str(word) for word in command], env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{command[1]} failed:\n{done.stdout[-2000:]}{done.stderr[-4000:]}")


def converged(mesh: Path, size: str, energy: str, law: str, stiffness, reach: float):  # type: ignore[no-untyped-def]
    """Positions of the reference run, and how far [m] it is from the run with twice its step; kept between calls."""
    import numpy as np
    import reference
    from scene import deviation, load_mesh

    steps = VERLET_STEPS[size]
    key = hashlib.blake2b(digest_size=8)
    for file in (mesh, HERE / "reference.py", HERE / "scene.py"):
        key.update(file.read_bytes())
    key.update(stiffness.tobytes())
    key.update(f"{energy} {law} {reach!r} {steps}".encode())
    path = FOLDER / f"reference_{size}_{energy}_{key.hexdigest()}.npz"
    if not path.exists():
        ground = reference.Ground(law, stiffness, reach)
        ball = load_mesh(mesh)
        fine = reference.run(ball, energy, ground, 2 * steps)
        doubt = deviation(reference.run(ball, energy, ground, steps), fine)
        np.savez(path, positions=fine, doubt=doubt)
    with np.load(path) as arrays:
        return arrays["positions"], float(arrays["doubt"])


if __name__ == "__main__":
    sys.exit(main())
