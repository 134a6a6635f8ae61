"""A soak that goes on where it was stopped: a line of JSON for each seed, and none is run that has one."""

import argparse
import json
from collections.abc import Callable, Iterable
from pathlib import Path

Bake = Callable[..., dict[str, object]]  # of a seed, and what else is set


def resumed(results: Path, seeds: Iterable[int], bake: Bake) -> None:
    """Bake the seeds that results have no line of, and add what was found in each."""
    lines = results.read_text().splitlines() if results.exists() else []
    done = {json.loads(line)["seed"] for line in lines}
    for seed in seeds:
        if seed not in done:
            found = bake(seed)
            with results.open("a") as file:
                file.write(json.dumps(found) + "\n")
            print(found, flush=True)


def commanded(about: str | None, bake: Bake, arguments: list[str] | None = None, **numbers: int) -> None:
    """The same by the command line: results and seeds, and what else is set for each bake of one, as numbers by their names."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", type=Path)
    parser.add_argument("--seeds", type=int, nargs=2, default=(0, 1000))
    for name, default in numbers.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args(arguments)
    chosen = {name: getattr(options, name) for name in numbers}
    resumed(options.results, range(*options.seeds), lambda seed: bake(seed, **chosen))
