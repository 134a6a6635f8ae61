"""The goo while it bakes: result objects made with the first frame, and the newest frame shown where the artist looks."""

from contextlib import nullcontext
from pathlib import Path

import bpy

from .bake_status import BakeStatus
from .folders import cache_folder
from .playback import play, show_results
from .preview import remove_preview
from .report import sentence
from .result_mesh import RESULT_OF, clear_results, results_of
from .selection import goo_takes_over


def scene_by_uid(uid: str) -> bpy.types.Scene | None:
    """Return the scene of that identifier in the open file."""
    return next((scene for scene in bpy.data.scenes if scene.dollop.uid == uid), None)


class LiveResults:
    """What a running bake shows of itself; it keeps identifiers only, so that undo cannot hurt it.

    made : result objects were made since somebody last set this False. Objects that come and go outside of Blender's undo
           steps crash it when the artist undoes, so whoever polls the bake has to push a step then.
    """

    def __init__(
        self, scene_uid: str, folder: Path, bodies: set[str], status: BakeStatus, *, beside_window: bool, show: bool
    ) -> None:
        self.made = False
        self._scene_uid = scene_uid
        self._folder = folder
        self._bodies = bodies
        self._status = status
        self._beside_window = beside_window
        self._show = show
        self._shown = False

    def show(self, frames: list[int]) -> None:
        """Show what these newly finished frames change of the present one."""
        scene = scene_by_uid(self._scene_uid)
        if not self._show or scene is None or cache_folder(scene)[0] != self._folder:
            return  # its scene was deleted, or the frames go where the scene does not play from
        try:
            if not self._shown:
                self._make(scene)
            elif scene.frame_current in frames:
                play(scene)
        except Exception as error:  # a night of frames must not end because one of them could not be shown
            self._status.warnings.append(f"Frames are baked but could not be shown: {sentence(error)}")
            self._show = False
        self._shown = True

    def show_at_the_end(self) -> None:
        """Show the present frame once more: what it showed may have been the last one by then."""
        scene = scene_by_uid(self._scene_uid)
        if scene is None or not self._shown:
            return
        self._shown = next(results_of(scene), None) is not None
        self.show([scene.frame_current])

    def _make(self, scene: bpy.types.Scene) -> None:
        """Make the result objects; take away those of bodies that this bake knows no more: their frames are gone.

        Previews of tets go too: they would stand where the bodies began, in front of all that happens.
        They are not made again while the bake runs after the artist has undone this very step: that would be undone for
        ever.
        """
        gone = {item[RESULT_OF] for item in results_of(scene)} - self._bodies
        if gone:
            clear_results(scene, gone)
        with goo_takes_over(scene) if self._beside_window else nullcontext():  # a script's choice is left alone
            show_results(scene)
        for uid in self._bodies:
            remove_preview(scene, uid)
        self.made = True
