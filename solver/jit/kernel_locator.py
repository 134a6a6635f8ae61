"""Has numba keep our kernels, and nobody else's, in the folder of kernel_cache.py.

By itself numba names its folders after where the sources lie. Another Blender beside this one, another user of a farm's shared
folder or the add-on installed anew would each compile for half a minute what is compiled already. Our folders are keyed by what
the sources say and named after their place among them.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core.caching import CacheImpl, UserProvidedCacheLocator

from .kernel_cache import SOURCES, folder_of_file


class KernelLocator(UserProvidedCacheLocator):
    """Where numba keeps what it has compiled of a function of ours."""

    @classmethod
    def from_function(cls, py_func: Callable[..., Any], py_file: str) -> Any:
        """None for what is not ours: numba's own way then."""
        if SOURCES not in Path(py_file).parents:
            return None
        made = cls(py_func, py_file)
        made._cache_path = str(folder_of_file(Path(py_file)))
        return made

    def get_source_stamp(self) -> str:
        """Nothing: the folder says which source it is for."""
        return ""


def keep_kernels() -> None:
    """Before any kernel is defined; an add-on that is enabled again asks again."""
    mine = (KernelLocator.__module__, KernelLocator.__qualname__)
    others = [one for one in CacheImpl._locator_classes if (one.__module__, one.__qualname__) != mine]
    CacheImpl._locator_classes = [KernelLocator, *others]
