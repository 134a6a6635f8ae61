"""Run Dollop's tests; set up by itself whatever they need. No root needed.

    python3 tools/test.py            everything that this machine can run; says what it could not
    python3 tools/test.py --fast     the inner loop: checks, and the tests without the slow ones, packaging and windows
    python3 tools/test.py --only blender -- -k bake
    python3 tools/test.py --strict   as .ci/run does: a Blender that is missing is a failure

Each group is tested by as many processes as there are cores, except the window, where one mouse goes from test to test while
the package, mostly, has the machine. The last line is pytest's own, summed over all its runs.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread

from blenders import real_blender
from environment import development_venv, own_tag, run_environment
from failure import SetUpError
from pins import PINS, ROOT

NEEDS_BLENDER = ("blender", "examples", "package", "window")
GROUPS = ("checks", "solver", *NEEDS_BLENDER)
TOGETHER = ("package", "window")  # a window waits for its mouse and its solver, and leaves a core to others
WATCHED = ("-s", "--capture=no", "--pdb", "--trace")  # what a developer looks at needs pytest's own process


@dataclass
class Tally:
    """What all pytest runs together came to."""

    started: float = field(default_factory=time.monotonic)
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(("failed", "passed", "skipped", "error"), 0))
    broken: list[str] = field(default_factory=list)

    def add(self, report: Path) -> None:
        """Read one run's report."""
        for suite in ElementTree.parse(report).getroot().iter("testsuite"):
            total, failed, errors, skipped = (int(suite.get(key, 0)) for key in ("tests", "failures", "errors", "skipped"))
            self.counts["failed"] += failed
            self.counts["error"] += errors
            self.counts["skipped"] += skipped
            self.counts["passed"] += total - failed - errors - skipped

    def closing_line(self) -> str:
        parts = [f"{count} {name}" for name, count in self.counts.items() if count or name == "passed"]
        return f"====== {', '.join(parts)} in {time.monotonic() - self.started:.2f}s ======"


def run_checks(tags: list[str], tally: Tally) -> None:
    """Linter, types (numpy's differ from Python to Python), import contract, side by side; what each says is printed whole."""
    python, checks = development_venv(tags[0]), str(ROOT / "tools" / "static_checks.py")
    types = {f"types, {tag}": [str(development_venv(tag)), checks, "types"] for tag in tags}
    commands = {
        "ruff": [str(python), "-m", "ruff", "check", "."],
        **types,
        "imports": [str(python), checks, "imports"],
    }

    def check(command: list[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, cwd=ROOT, env=run_environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    with ThreadPoolExecutor() as pool:
        for name, done in zip(commands, pool.map(check, commands.values()), strict=True):
            print(f"--- {name}\n{done.stdout}", end="", flush=True)
            if done.returncode != 0:
                tally.broken.append(name)


def processes(group: str, pytest_arguments: list[str]) -> int:
    """How many processes test a group: as many as there are cores, where nothing needs the screen or pytest for itself."""
    alone = group == "window" or any(argument in WATCHED for argument in pytest_arguments)
    return 1 if alone else len(os.sched_getaffinity(0))


def test_group(
    group: str, tag: str, pytest_arguments: list[str], tally: Tally, environment: dict[str, str], at_end: bool = False
) -> None:
    """Test a group in one environment. Each process begins with a run of neighbours, and who is done first takes half of what
    another has left (tests/package deals by installed Blenders instead)."""
    count = processes(group, pytest_arguments)
    dealt = ["-n", str(count), "--dist", "worksteal"] if count > 1 else []
    # Two threads each, for the tests that are about them; tests/conftest.py lets the others have one
    threads = {"NUMBA_NUM_THREADS": "2"} if count > 1 else {}
    arguments = [*dealt, *test_folders(group), *pytest_arguments]
    run_pytest(f"{group}, {tag}", development_venv(tag), arguments, tally, environment | threads, at_end)


def run_pytest(
    title: str, python: Path, arguments: list[str], tally: Tally, environment: dict[str, str], at_end: bool = False
) -> None:
    """One pytest process; Blender can end a process without a word, so a missing report counts as broken.

    at_end : print what it says when it is done, because another speaks at the same time
    """
    if not at_end:
        print(f"--- {title}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [str(python), "-m", "pytest", "-q", f"--junitxml={report}", *arguments]
        kept = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT} if at_end else {}
        done = subprocess.run(command, cwd=ROOT, env=environment, text=True, **kept)
        if at_end:
            print(f"--- {title}\n{done.stdout}", end="", flush=True)
        if report.exists():
            tally.add(report)
        if done.returncode != 0 or not report.exists():
            tally.broken.append(f"{title} (exit code {done.returncode})")


def test_folders(group: str) -> list[str]:
    """The folders under tests/ that belong to a group; the solver's are all that need no Blender."""
    present = sorted(path.name for path in (ROOT / "tests").iterdir() if path.is_dir() and not path.name.startswith((".", "_")))
    chosen = [name for name in present if name not in NEEDS_BLENDER] if group == "solver" else [group]
    return [f"tests/{name}" for name in chosen if name in present]


def make_real_blender() -> None:
    """What takes minutes on a bare machine, beside the first tests; those that want it wait, or say why there is none."""
    with suppress(SetUpError):
        real_blender()


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fast", action="store_true", help="leave out what is slow, the package and the window")
    parser.add_argument("--only", choices=GROUPS, action="append", help="run one group (repeatable)")
    parser.add_argument("--strict", action="store_true", default=os.environ.get("CI") == "true", help="nothing may be missing")
    parser.add_argument("--all-blenders", action="store_true", help="also try the built zip in Blender 4.2 and 4.5")
    parser.add_argument("pytest_arguments", nargs="*", help="after --: handed to pytest")
    return parser.parse_args()


def run_groups(arguments: argparse.Namespace, tally: Tally) -> None:
    groups = arguments.only or [group for group in GROUPS if not (arguments.fast and group in ("package", "window"))]
    tag = own_tag()
    tags = [tag, *(other for other in PINS["venvs"] if other != tag)] if arguments.strict else [tag]
    environment = run_environment()
    environment["DOLLOP_STRICT"] = "1" if arguments.strict else ""
    environment["DOLLOP_ALL_BLENDERS"] = "1" if arguments.all_blenders else ""
    alone = arguments.fast or any(argument in WATCHED for argument in arguments.pytest_arguments)
    together = list(TOGETHER) if set(TOGETHER) <= set(groups) and not alone else []
    if arguments.strict and set(groups) & set(NEEDS_BLENDER):
        Thread(target=make_real_blender, daemon=True).start()
    for group in (group for group in groups if group not in together):
        if group == "checks":
            run_checks(tags, tally)
            continue
        # Only Blender's own tests differ from bpy to bpy; tests/package starts every Blender by itself.
        for one in tags if group == "blender" else [tag]:
            left_out = [*(["slow"] if arguments.fast else []), *(["program"] if one != tag else [])]
            marks = ["-m", " and ".join(f"not {mark}" for mark in left_out)] if left_out else []
            test_group(group, one, [*marks, *arguments.pytest_arguments], tally, environment)
    with ThreadPoolExecutor() as pool:
        runs = [pool.submit(test_group, one, tag, arguments.pytest_arguments, tally, environment, True) for one in together]
        for run in runs:
            run.result()


def main() -> int:
    tally = Tally()
    try:
        run_groups(parse_arguments(), tally)
    except SetUpError as error:
        print(error, file=sys.stderr)
        tally.broken.append("set-up")
    if tally.broken:
        print(f"Not in order: {', '.join(tally.broken)}")
    print(tally.closing_line(), flush=True)
    return 1 if tally.broken or tally.counts["failed"] or tally.counts["error"] else 0


if __name__ == "__main__":
    sys.exit(main())
