"""Do the tests see deliberate faults? Each fault of tools/faults.toml is planted in a copy of the checkout and its tests run.

    python tools/mutations.py                 all faults, a line each; ends with 1 if one was not caught
    python tools/mutations.py --only NAME ... some of them
    python tools/mutations.py --jobs 2        so many at once

Run it with the Python of a test environment (the README's test command makes one). A fault is caught when its tests fail;
they pass on the unchanged checkout, which is tried first. Compiled kernels are kept from fault to fault: no more is compiled
anew than a fault can have changed.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FAULTS = ROOT / "tools" / "faults.toml"
PASSED, FAILED = 0, 1  # pytest's exit codes
TIME_LIMIT = 1200.0


@dataclass(frozen=True)
class Fault:
    """A text of a file that becomes another, and the tests (arguments of pytest) that are to fail then."""

    name: str
    file: str
    was: str
    becomes: str
    tests: list[str]


def read_faults() -> list[Fault]:
    """All faults of the list, in its order."""
    return [Fault(name, **entry) for name, entry in tomllib.loads(FAULTS.read_text(encoding="utf-8")).items()]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", metavar="NAME", help="names of faults")
    parser.add_argument("--jobs", type=int, default=1, help="how many at once")
    chosen = parser.parse_args()
    faults = [fault for fault in read_faults() if not chosen.only or fault.name in chosen.only]
    if not faults:
        parser.error("no fault of the list has that name")
    with tempfile.TemporaryDirectory() as kernels:
        return try_all(faults, chosen.jobs, {**os.environ, "NUMBA_CACHE_DIR": kernels})


def try_all(faults: list[Fault], jobs: int, environment: dict[str, str]) -> int:
    """Try the checkout as it is and then each fault; 0 if each was caught."""
    every = sorted({test for fault in faults for test in fault.tests if test.startswith("tests/")})
    code, output = _run(None, environment, every)
    if code != PASSED:
        print(f"{output[-3000:]}\nThe tests fail without any fault.")
        return 1
    with ThreadPoolExecutor(jobs) as pool:
        answers = list(pool.map(partial(_try, environment), faults))
    missed = [fault.name for fault, caught in zip(faults, answers, strict=True) if not caught]
    print(f"{len(faults) - len(missed)} of {len(faults)} faults caught" + (f"; not: {', '.join(missed)}" if missed else ""))
    return 1 if missed else 0


def _try(environment: dict[str, str], fault: Fault) -> bool:
    code, _ = _run(fault, environment, fault.tests)
    word = {PASSED: "NOT CAUGHT", FAILED: "caught"}.get(code, f"not tried: pytest ended with {code}")
    print(f"{fault.name}: {word}", flush=True)
    return code == FAILED


def _run(fault: Fault | None, environment: dict[str, str], tests: list[str]) -> tuple[int, str]:
    """pytest's exit code and output for tests in a copy of the checkout with the fault planted."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "dollop"
        for name in subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).splitlines():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, copy / name)
        if fault:
            plant(fault, copy)
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
        try:
            answer = subprocess.run(command, cwd=copy, env=environment, timeout=TIME_LIMIT, capture_output=True, text=True)
        except subprocess.TimeoutExpired:
            return -1, ""
        return answer.returncode, answer.stdout + answer.stderr


def plant(fault: Fault, checkout: Path) -> None:
    """Change the file; its text must stand there exactly once."""
    path = checkout / fault.file
    text = path.read_text(encoding="utf-8")
    if text.count(fault.was) != 1:
        raise ValueError(f"{fault.name}: its text stands {text.count(fault.was)} times in {fault.file}, not once")
    path.write_text(text.replace(fault.was, fault.becomes), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
