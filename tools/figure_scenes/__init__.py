"""The papers' figures as scenes, one file each: a file of this folder that defines FIGURE is found by itself."""

from functools import cache

from solver.declared import modules_with

from .contract import Figure


@cache
def figures() -> dict[str, Figure]:
    """Return every figure by the name of its file."""
    return {module.__name__.rpartition(".")[2]: module.FIGURE for module in modules_with(__name__, "FIGURE")}
