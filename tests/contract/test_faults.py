"""The list of deliberate faults (tools/mutations.py) fits the sources."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
from mutations import ROOT, Fault, read_faults

MOST_TESTS = 3


@pytest.mark.parametrize("fault", read_faults(), ids=lambda fault: fault.name)
def test_a_fault_can_be_planted(fault: Fault) -> None:
    assert (ROOT / fault.file).read_text(encoding="utf-8").count(fault.was) == 1 and fault.was != fault.becomes
    paths = [test for test in fault.tests if test.startswith("tests/")]
    assert 0 < len(paths) <= MOST_TESTS and all((ROOT / path).exists() for path in paths)


def test_there_are_enough() -> None:
    assert len({fault.name for fault in read_faults()}) >= 30
