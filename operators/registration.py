"""An ordered list of classes, registered front to back and unregistered back to front, as often as one likes."""

import bpy


class ClassList:
    """Registers exactly the classes it was given and remembers which of them Blender has accepted."""

    def __init__(self, classes: tuple[type, ...]) -> None:
        self._classes = classes
        self._registered: list[type] = []

    def register(self) -> None:
        """Register every class; when one is refused, the ones before it are taken back and the error is raised."""
        self.unregister()
        try:
            for cls in self._classes:
                bpy.utils.register_class(cls)
                self._registered.append(cls)
        except Exception:
            self.unregister()
            raise

    def unregister(self) -> None:
        """Unregister what is registered, last first."""
        while self._registered:
            bpy.utils.unregister_class(self._registered.pop())
