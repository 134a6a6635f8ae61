"""Tets of the chosen bodies, made by a child process and shown as preview objects."""

import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ...solver.errors import MeshingError, SolverError
from ...solver.job import write_job
from ...solver.scene import Scene, validated
from .estimate import refresh_estimate
from .evaluation import frame_kept, made_visible
from .identity import find_by_uid, repair_all
from .playback_pause import playback_paused
from .preview import build_preview
from .priority import threads_beside_window
from .read_body import read_body
from .read_settings import read_settings
from .solver_process import SolverProcess


class Tetrahedralization:
    """A running preview. It keeps identifiers only, so undo cannot hurt it."""

    def __init__(
        self, scene: bpy.types.Scene, bodies: Sequence[bpy.types.Object], *, beside_window: bool = False
    ) -> None:
        repair_all()
        settings = read_settings(scene)
        with playback_paused(), frame_kept(scene), made_visible(scene, bodies):
            scene.frame_set(settings.frame_start)
            read = tuple(read_body(item, scene) for item in bodies)
        # One frame is enough for a preview, even where the artist's range is not yet right
        job = validated(Scene(read, (), replace(settings, frame_end=settings.frame_start)))
        self.uids = [body.uid for body in read]
        self.reports: dict[str, dict[str, Any]] = {}
        self.warnings: list[str] = []
        self.stage = "Starting"
        self._message = ""
        self._folder = Path(tempfile.mkdtemp(prefix="dollop_tets_"))
        arguments = ["tetrahedralize", str(self._folder), str(self._output), "--threads", str(threads_beside_window())]
        try:
            self._process = SolverProcess(
                arguments, before=lambda: write_job(job, self._folder), beside_window=beside_window
            )
        except BaseException:
            self._remove_folder()
            raise

    @property
    def _output(self) -> Path:
        return self._folder / "tets.npz"

    def poll(self) -> bool:
        """Take in what the child has said; True once it has ended. Never waits."""
        finished = self._process.finished
        for event in self._process.events():
            if event["event"] == "stage":
                self.stage = f"Filling {event['body']} with tets" if event.get("body") else "Starting"
            elif event["event"] == "meshed":
                self.reports[event["uid"]] = event
            elif event["event"] == "warning":
                self.warnings.append(event["message"])
            elif event["event"] == "error":
                self._message = event["message"]
        return finished

    def wait(self) -> None:
        """Wait for the end."""
        while not self.poll():
            self._process.wait(0.1)

    def show(self, scene: bpy.types.Scene) -> list[str]:
        """Make the preview objects and return a sentence on each. Raises what the child reported."""
        try:
            self._process.require_start()
            if self._process.returncode != 0:
                raise MeshingError(self._message) if self._message else SolverError(self._process.death_notice())
            with np.load(self._output, allow_pickle=False) as arrays:
                return [self._show(scene, uid, arrays) for uid in self.uids if find_by_uid(scene, uid) is not None]
        finally:
            self._process.close()
            self._remove_folder()

    def stop(self) -> None:
        """End the child and forget it."""
        self._process.kill()
        self._process.wait(1.0)
        self._process.close()
        self._remove_folder()

    def _show(self, scene: bpy.types.Scene, uid: str, arrays: Any) -> str:
        body = find_by_uid(scene, uid)
        assert body is not None
        tets, quality = arrays[f"tets_{uid}"], arrays[f"quality_{uid}"]
        build_preview(scene, body, arrays[f"positions_{uid}"], tets, quality)
        refresh_estimate(body, scene)
        body.dollop.estimated_tets = len(tets)
        error = self.reports.get(uid, {}).get("surface_error")
        distance = f", at most {1000 * error:.3g} mm from its surface" if error is not None else ""
        return f"'{body.name}': {len(tets)} tets, smallest angle {quality.min():.2g}°{distance}"

    def _remove_folder(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
