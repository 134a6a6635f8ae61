"""The papers' figures that are plots, one file each: a file of this folder that defines PLOT is found by itself."""

from functools import cache

from solver.declared import modules_with

from .contract import Plot


@cache
def plots() -> dict[str, Plot]:
    """Return every plot by the name of its file."""
    return {module.__name__.rpartition(".")[2]: module.PLOT for module in modules_with(__name__, "PLOT")}
