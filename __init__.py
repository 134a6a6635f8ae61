"""Dollop: viscoplastic goo for Blender. Everything is imported inside register(), so that tests run without Blender."""


def register() -> None:
    """Switch the extension on; harmless when it is on already."""
    from . import operators, panels

    operators.register()
    panels.register()


def unregister() -> None:
    """Switch the extension off; harmless when it is off already. What lies in the .blend stays there."""
    from . import operators, panels

    panels.unregister()
    operators.unregister()
