"""Operators, settings, handlers and the command line, registered in order and taken back in reverse."""


def register() -> None:
    """Register everything; harmless when it is registered already."""
    from . import command_line, handlers, operator_classes, properties
    from .bridge import playback

    unregister()
    properties.register()
    operator_classes.CLASSES.register()
    handlers.register()
    playback.register()
    command_line.register()
    handlers.take_up_open_file()


def unregister() -> None:
    """Undo register(); a running bake is stopped in good order."""
    from . import command_line, handlers, operator_classes, properties
    from .bridge import playback
    from .bridge.bake_session import stop_running
    from .modal import stop_heartbeats

    stop_running()
    stop_heartbeats()
    command_line.unregister()
    playback.unregister()
    handlers.unregister()
    operator_classes.CLASSES.unregister()
    properties.unregister()
