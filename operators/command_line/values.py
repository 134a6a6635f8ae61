"""How the words of options become values."""

import argparse
import re


def frame_range(text: str) -> tuple[int, int]:
    """Return 1-48 as (1, 48), -10--5 as (-10, -5), 7 as (7, 7)."""
    match = re.fullmatch(r"(-?\d+)(?:-(-?\d+))?", text)
    if not match:
        raise argparse.ArgumentTypeError(f"'{text}' is not a range such as 1-48")
    first = int(match[1])
    return first, int(match[2]) if match[2] else first


def positive(text: str) -> int:
    """Return a whole number above zero."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number above zero")
    return int(text)
