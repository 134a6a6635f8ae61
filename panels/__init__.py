"""The sidebar tab "Dollop" and its twin in the Physics properties."""


def register() -> None:
    """Register the panels; harmless when they are registered already."""
    from .panel_classes import CLASSES

    CLASSES.register()


def unregister() -> None:
    """Undo register()."""
    from .panel_classes import CLASSES

    CLASSES.unregister()
