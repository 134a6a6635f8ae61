"""A soak that goes on where it was stopped: a line of JSON for each seed, and none is run that has one."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path


def resumed(results: Path, seeds: Iterable[int], bake: Callable[[int], dict[str, object]]) -> None:
    """Bake the seeds that results have no line of, and add what was found in each."""
    lines = results.read_text().splitlines() if results.exists() else []
    done = {json.loads(line)["seed"] for line in lines}
    for seed in seeds:
        if seed not in done:
            found = bake(seed)
            with results.open("a") as file:
                file.write(json.dumps(found) + "\n")
            print(found, flush=True)
