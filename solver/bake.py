"""The bake as a short story: fill with tets, bind the surface, simulate, store every frame, be ready to go on."""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .cache import FrameStore, SurfaceTopology, topology_of_triangles
from .cache import versions as cache_versions
from .dynamics import Dynamics, start
from .embedding import Binding, bind_surface
from .errors import CacheError, Cancelled, PlacedWarning, SolverError, VersionError
from .frame import Frame
from .job import scene_hash
from .refining.borders import with_borders
from .scene import Body, Scene, Settings, validated
from .tetmesh import MeshReport, sliver_warning, tetrahedralize
from .tetmesh.mesh import TetMesh

if TYPE_CHECKING:
    from .tearing.surface_cut import SurfaceCut

# Between checkpoints at most this much work is lost to a kill; frames are kept in any case [s].
CHECKPOINT_INTERVAL = 10.0

Report = Callable[[dict[str, Any]], None]
SavedState = tuple[int, dict[str, np.ndarray]]  # a finished frame's number, and what goes on from there


@dataclass(frozen=True)
class PreparedBody:
    """A body ready to be simulated: its tets, what is seen of it bound to them, and the points that touch things.

    body : itself, on the surface that is seen of it
    cut  : what has made that of the artist's mesh; None: it is that
    """

    mesh: TetMesh
    report: MeshReport
    surface: Binding
    contacts: Binding
    body: Body
    cut: "SurfaceCut | None" = None


def bake(
    scene: Scene,
    cache_folder: Path,
    *,
    topologies: dict[str, SurfaceTopology] | None = None,
    versions: dict[str, str] | None = None,
    origin: dict[str, Any] | None = None,
    resume: bool = False,
    report: Report = lambda event: None,
    stop: Callable[[], bool] = lambda: False,
    before_solving: Callable[[], Any] | None = None,
) -> int:
    """Bake the scene into the folder and return the number of frames written.

    Without `resume` an older cache in the folder is cleared first. With it the bake goes on from the last checkpoint,
    to the same bytes as an uninterrupted one; CacheError when the scene has changed since. A body without a topology
    plays as its triangles. `versions`, or `origin` that holds them and more, go into the manifest (cache/manifest.py).
    `report` receives the events of docs/worker.md; `stop` is asked before each step and ends the bake with Cancelled,
    every finished frame kept; `before_solving` is called before the first step.
    """
    given = validated(scene)
    _tell_who_do_not_touch(given, report)
    scene, topologies = _fit(given, topologies or {}, report)
    scene = with_borders(scene, topologies)
    prepared = prepare(scene, report)
    scene, topologies = _as_seen(scene, topologies, prepared)
    origin = {"versions": versions or cache_versions(dollop=""), **(origin or {})}
    with _opened_store(given, scene, cache_folder, topologies, origin, resume) as store:
        simulation = start(
            scene, [item.mesh for item in prepared], [item.surface for item in prepared], [item.contacts for item in prepared]
        )
        done = _restore(simulation, store, given) if resume else None
        meshes = {body.uid: asdict(item.report) for body, item in zip(scene.bodies, prepared, strict=True)}
        store.update_manifest(
            **origin,
            status="baking",
            meshes=meshes,
            frame_end=scene.settings.frame_end,
            scene_hash=scene_hash(given, scene.settings.frame_end),
        )
        try:
            frames = _solve(given, simulation, store, done, report, stop, before_solving)
        except SolverError as error:
            store.update_manifest(status="cancelled" if isinstance(error, Cancelled) else "failed")
            raise
        store.update_manifest(status="done")
        return frames


def prepare(scene: Scene, report: Report = lambda event: None) -> list[PreparedBody]:
    """Fill every body with tets and bind its surface; reports a "meshed" event a body."""
    prepared = []
    for body in scene.bodies:
        report({"event": "stage", "stage": "tetrahedralizing", "body": body.name})
        mesh, mesh_report = tetrahedralize(body)
        seen, cut = body, None
        if body.seen == "tets":
            from .tet_surface.bodies import laid_body

            seen, laid, cut = laid_body(body, mesh)
            surface, contacts = laid.bound, laid.contacts
        else:
            surface, contacts = bind_surface(body.surface, mesh, 0.5 * body.element_size / body.contact_detail)
        report({"event": "meshed", "uid": body.uid, "body": body.name, **asdict(mesh_report)})
        if warning := sliver_warning(mesh, body.name):
            report(_warned_of(warning))
        bare = TetMesh(mesh.positions, mesh.tets)  # a bake has no use for the trees that binding has made of it
        prepared.append(PreparedBody(bare, mesh_report, surface, contacts, seen, cut))
    return prepared


def _tell_who_do_not_touch(scene: Scene, report: Report) -> None:
    """Report who will pass through each other though they were to collide, as Check Scene says it."""
    from .preflight.body_contact import contact_findings

    for finding in contact_findings(scene.bodies, scene.settings):
        if finding.severity == "warning":
            name = f"'{finding.object_name}': " if finding.object_name else ""
            report({"event": "warning", "message": f"{name}{finding.message} {finding.remedy}"})


def _fit(
    scene: Scene, topologies: dict[str, SurfaceTopology], report: Report
) -> tuple[Scene, dict[str, SurfaceTopology]]:
    """The scene and its records with surfaces that can be cut, sewn and refined where bodies want that."""
    if not any(body.changes_topology or body.begins_finer for body in scene.bodies):
        return scene, topologies
    from .tearing.at_start import made_fit

    return made_fit(scene, topologies, report)


def _as_seen(
    scene: Scene, topologies: dict[str, SurfaceTopology], prepared: list[PreparedBody]
) -> tuple[Scene, dict[str, SurfaceTopology]]:
    """The scene and its records with the surfaces that are seen."""
    cuts = {item.body.uid: item.cut for item in prepared if item.cut is not None and item.body.uid in topologies}
    if cuts:
        from .tet_surface.record import laid_topology

        topologies = topologies | {uid: laid_topology(topologies[uid], cut) for uid, cut in cuts.items()}
    return replace(scene, bodies=tuple(item.body for item in prepared)), topologies


def _opened_store(
    given: Scene, scene: Scene, folder: Path, topologies: dict[str, SurfaceTopology], origin: dict[str, Any], resume: bool
) -> FrameStore:
    if resume and FrameStore.exists(folder):
        store = FrameStore.open(folder, writable=True)
        try:
            store.require_versions(origin["versions"])
        except VersionError:
            store.close()
            raise
        return store
    settings = scene.settings
    content = {
        **origin,
        "scene_hash": scene_hash(given, settings.frame_end),
        "frames_per_second": settings.frames_per_second,
        "frame_start": settings.frame_start,
        "frame_end": settings.frame_end,
        "bodies": {body.uid: {"name": body.name, "vertices": len(body.surface.positions)} for body in scene.bodies},
    }
    store = FrameStore.create(folder, content)
    for body in scene.bodies:
        plain = topology_of_triangles(body.surface.triangles, len(body.surface.positions))
        store.write_topology(body.uid, 0, topologies.get(body.uid, plain))
    return store


def _restore(simulation: Dynamics, store: FrameStore, scene: Scene) -> int | None:
    """Put the simulation at the last checkpoint and return its frame, or None when there is nothing to go on from."""
    checkpoint = store.read_checkpoint()
    if checkpoint is None:
        store.remove_frames_after(scene.settings.frame_start - 1)
        return None
    number, arrays = checkpoint
    if arrays.pop("scene_hash").tobytes().decode() != scene_hash(scene, number):
        raise CacheError(
            "The scene has changed since these frames were baked, so they cannot be continued.",
            frame=number,
            remedy="Bake from the start, or undo the change.",
        )
    store.remove_frames_after(number)
    simulation.restore(arrays)
    return number


def _solve(
    scene: Scene,
    simulation: Dynamics,
    store: FrameStore,
    done: int | None,
    report: Report,
    stop: Callable[[], bool],
    before_solving: Callable[[], Any] | None,
) -> int:
    settings = scene.settings
    first = settings.frame_start if done is None else done + 1
    solved = max(first, settings.frame_start + 1)  # the frame at rest needs no solve; the next one compiles it
    saved = solving = time.monotonic()
    warned: set[str] = set()
    state: SavedState | None = None
    for number in range(first, settings.frame_end + 1):
        if number == solved:
            report({"event": "stage", "stage": "compiling"})
            if before_solving:
                before_solving()
        begin = time.monotonic()
        frame = _advance(simulation, store, scene, state, stop)
        state = number, simulation.checkpoint()
        _store_topologies(store, frame)
        store.write_frame(frame)
        now = time.monotonic()
        if number == solved:
            report({"event": "stage", "stage": "solving"})
            solving = now
        # What came before, resting and compiling, says nothing of the frames to come
        eta = (now - solving) / (number - solved) * (settings.frame_end - number) if number > solved else None
        _report_frame(report, frame, settings, now - begin, eta)
        for warning in dict.fromkeys(frame.warnings):
            if warning not in warned:
                report(_warned_of(warning))
                warned.add(warning)
        if now - saved > CHECKPOINT_INTERVAL or number == settings.frame_end:
            _save_checkpoint(store, scene, *state)
            saved = now
    return max(0, settings.frame_end - first + 1)


def _store_topologies(store: FrameStore, frame: Frame) -> None:
    """The records of surfaces that were cut or sewn since the frame before, each from those that it follows."""
    if not frame.changes:
        return
    from .topology.surface_record import record_after

    for change in frame.changes:
        store.write_topology(change.uid, change.topology, record_after(change, store.read_topology))


def _advance(
    simulation: Dynamics, store: FrameStore, scene: Scene, last: SavedState | None, stop: Callable[[], bool]
) -> Frame:
    """The next frame; stopped on the way there, the state after the `last` one becomes the checkpoint."""
    try:
        return simulation.advance(stop)
    except Cancelled as stopped:
        if last is not None:
            _save_checkpoint(store, scene, *last)
            stopped.frame = last[0]
        raise


def _save_checkpoint(store: FrameStore, scene: Scene, number: int, arrays: dict[str, np.ndarray]) -> None:
    fingerprint = np.frombuffer(scene_hash(scene, number).encode(), dtype=np.uint8)
    store.write_checkpoint(number, {**arrays, "scene_hash": fingerprint})


def _warned_of(sentence: str) -> dict[str, Any]:
    """The event that tells of it, and of its place where it has one."""
    placed = {"body": sentence.body, "place": sentence.place} if isinstance(sentence, PlacedWarning) else {}
    return {"event": "warning", "message": sentence, **placed}


def _report_frame(report: Report, frame: Frame, settings: Settings, seconds: float, eta: float | None) -> None:
    report(
        {
            "event": "frame",
            "frame": frame.number,
            "first": settings.frame_start,
            "last": settings.frame_end,
            "seconds": round(seconds, 4),
            "eta": None if eta is None else round(eta, 1),
            "statistics": frame.statistics,
        }
    )
