"""A triangle mesh: the inside of a closed one is solid, an open one is a sheet."""

import numpy as np
from numpy.typing import NDArray

from ..errors import SceneError
from ..geometry.chunks import in_chunks
from ..geometry.measures import area_vectors, signed_volumes
from ..geometry.orientation import Oriented, oriented
from ..geometry.pseudonormals import pseudonormals
from ..geometry.triangle_tree import refit, triangle_tree
from ..geometry.winding import WindingTree, winding_numbers, winding_tree
from ..scene import Collider, Settings
from .mesh_query import GROUND, SHEET, SOLID, WOUND, MeshShape, distance_grid, query_mesh
from .motion import Motion, Pose

KIND = "mesh"

# Holes up to this share of a surface's area are closed by the winding number; a mesh with larger ones is a sheet.
SMALL_HOLES = 0.05
# Half the thickness of a sheet, and the depth to which a ground sheet is solid, as shares of its largest side.
SHEET_HALF_THICKNESS = 0.0025
GROUND_DEPTH = 0.05
# A sheet is ground when its faces all look up by more than this (cosine against gravity).
LOOKS_UP = 0.1


class MeshField:
    """Signed distance to a mesh that stands still, moves, turns or stretches.

    What is solid is decided once, from the mesh as it is at the first transform:
    - closed, or with small holes: its inside, whichever way its faces point;
    - open: a sheet, solid from both sides, SHEET_HALF_THICKNESS of its largest side to each side;
    - open, but all facing up against gravity (terrain, a floor made of one face) and not two-sided: solid below to
      GROUND_DEPTH of its largest side, with no thickness above, so that a fast body does not fall through.
    """

    def __init__(self, collider: Collider, settings: Settings) -> None:
        if collider.surface is None:
            raise SceneError("It has no faces to collide with.", body=collider.name, remedy="Choose a mesh with faces.")
        self.friction = collider.friction
        self.motion = Motion(collider.transforms, settings)
        self.local = collider.surface.positions
        faces = oriented(self.local, collider.surface.triangles)
        if not len(faces.triangles):
            raise SceneError("Its faces have no area.", body=collider.name, remedy="Choose a mesh with faces.")
        if np.linalg.det(self.motion.stretches[0]) < 0.0:  # a mirror image turns the faces inwards
            faces = faces._replace(triangles=faces.triangles[:, [0, 2, 1]], weld=faces.weld[:, [0, 2, 1]])
        self.faces = _facing_up(faces, self.local, self.motion, settings)
        self.stretched_at = self.motion.stretches[0]
        self.shape = self._shape(collider, settings)

    def _shape(self, collider: Collider, settings: Settings) -> MeshShape:
        positions = self.local @ self.stretched_at.T
        surface = triangle_tree(positions, self.faces.triangles)
        winding = winding_tree(surface)
        normals = pseudonormals(positions, self.faces.triangles, self.faces.weld)
        size = float(np.ptp(positions, axis=0).max())
        kind = _kind(collider, self.faces, positions, self._up(settings))
        half = SHEET_HALF_THICKNESS * size if kind == SHEET else 0.0
        if kind == WOUND and not self.faces.edges.open_edges and not self.faces.edges.non_manifold_edges:
            kind = SOLID if _clean(winding, normals.faces, size) else WOUND
        shape = MeshShape(
            surface, winding, normals, self.local, kind, collider.thickness + half, GROUND_DEPTH * size,
            *distance_grid(surface, winding, kind, not self.motion.stretches_change),
        )
        return shape

    def _up(self, settings: Settings) -> NDArray[np.float64]:
        """Against gravity, in the frame of the stretched surface at the first transform."""
        return _against_gravity(settings) @ self.motion.rotations[0]

    def query(
        self,
        points: NDArray[np.float64],
        time: float,
        margin: float,
        distance: NDArray[np.float64],
        normal: NDArray[np.float64],
        velocity: NDArray[np.float64],
    ) -> None:
        """See colliders.Field."""
        pose = self.motion.pose(time)
        if self.motion.stretches_change:
            self._restretch(pose)
        in_chunks(
            query_mesh, len(points), self.shape, points, margin, pose.rotation, pose.translation, not self.motion.static,
            pose.spin, pose.stretch_rate, pose.velocity, distance, normal, velocity,
        )

    def _restretch(self, pose: Pose) -> None:
        if np.array_equal(pose.stretch, self.stretched_at):
            return
        self.stretched_at = pose.stretch
        surface = refit(self.shape.surface, self.local @ pose.stretch.T)
        self.shape = self.shape._replace(
            surface=surface,
            winding=winding_tree(surface),
            normals=pseudonormals(surface.positions, self.faces.triangles, self.faces.weld),
        )


def _against_gravity(settings: Settings) -> NDArray[np.float64]:
    gravity = np.asarray(settings.gravity)
    strength = float(np.sqrt(gravity @ gravity))
    return -gravity / strength if strength > 0.0 else np.array([0.0, 0.0, 1.0])


def _facing_up(faces: Oriented, local: NDArray[np.float64], motion: Motion, settings: Settings) -> Oriented:
    """Turn an open surface so that it faces up rather than down."""
    total = area_vectors(local @ motion.stretches[0].T, faces.triangles).sum(axis=0)
    if not _has_large_holes(faces, local @ motion.stretches[0].T) or motion.rotations[0] @ total @ _against_gravity(settings) >= 0.0:
        return faces
    return faces._replace(triangles=faces.triangles[:, [0, 2, 1]], weld=faces.weld[:, [0, 2, 1]])


def _has_large_holes(faces: Oriented, positions: NDArray[np.float64]) -> bool:
    """Whether the area that is missing to close the surface is no small share of it."""
    if not faces.edges.open_edges:
        return False
    areas = area_vectors(positions, faces.triangles)
    missing = areas.sum(axis=0)
    total = float(np.sqrt((areas * areas).sum(axis=1)).sum())
    return float(np.sqrt(missing @ missing)) > SMALL_HOLES * total or signed_volumes(positions, faces.triangles).sum() <= 0.0


def _kind(collider: Collider, faces: Oriented, positions: NDArray[np.float64], up: NDArray[np.float64]) -> int:
    if collider.two_sided:
        return SHEET
    if not _has_large_holes(faces, positions):
        return WOUND
    areas = area_vectors(positions, faces.triangles)
    size = np.sqrt((areas * areas).sum(axis=1))
    return GROUND if (areas @ up > LOOKS_UP * size).all() else SHEET


def _clean(winding: WindingTree, face_normals: NDArray[np.float64], size: float) -> bool:
    """Whether no part of a closed surface lies inside another: beside each face one side is in, the other out."""
    centroids = winding.surface.positions[winding.surface.triangles].mean(axis=1)
    step = 1e-5 * size * face_normals
    outside = winding_numbers(winding, centroids + step) < 0.5
    inside = np.abs(winding_numbers(winding, centroids - step) - 1.0) < 0.5
    return bool((outside & inside).all())


def build(collider: Collider, settings: Settings) -> MeshField:
    """Return the mesh's field.

    Raises SceneError when the mesh has no faces with an area.
    """
    return MeshField(collider, settings)
