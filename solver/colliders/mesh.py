"""A triangle mesh: the inside of a closed one is solid, an open one is a sheet."""

import numpy as np
from numpy.typing import NDArray

from ..errors import SceneError
from ..geometry.measures import area_vectors
from ..geometry.orientation import Oriented, oriented
from ..geometry.pseudonormals import Pseudonormals, pseudonormals, turned_over, with_faces_moved
from ..geometry.triangle_tree import closest_points, refit, triangle_tree
from ..geometry.winding import WindingTree, winding_numbers, winding_tree
from ..scene import Collider, Settings
from .deformation import Deformation, rigid_part
from .mesh_query import (
    GROUND,
    SHEET,
    SOLID,
    WOUND,
    Contacts,
    MeshShape,
    bare_contacts,
    contacts,
    distance_grid,
    give_back,
    in_frame,
)  # fmt: skip
from .motion import Motion, Pose
from .sharp import looks, standing_out
from .solidity import against_gravity, has_large_holes, is_ground
from .touch import Touch

KIND = "mesh"

# Half the thickness of a sheet, and the depth to which a ground sheet is solid, as shares of its largest side.
SHEET_HALF_THICKNESS = 0.0025
GROUND_DEPTH = 0.05


class MeshField:
    """Signed distance to a mesh that stands still, moves, turns, stretches or deforms.

    What is solid is decided once, from the mesh as it is at the first sample:
    - closed, or with small holes: its inside, whichever way its faces point;
    - open: a sheet, solid from both sides, SHEET_HALF_THICKNESS of its largest side to each side;
    - open, but with no face looking down (terrain, a floor of one face, open stairs, the inside of a bowl) and not
      two-sided: solid below to GROUND_DEPTH of its largest side, with no thickness above, so that a fast body does not
      fall through. What has come from beneath is kept there (contact/beneath.py).
    """

    endless = False

    def __init__(self, collider: Collider, settings: Settings) -> None:
        if collider.surface is None:
            raise SceneError("It has no faces to collide with.", body=collider.name, remedy="Choose a mesh with faces.")
        self.numbers = Touch(collider, settings)
        transforms, shapes = collider.transforms, collider.surface.positions[None]
        if collider.shapes is not None:
            transforms, shapes = rigid_part(transforms, collider.shapes)
        self.motion = Motion(transforms, settings, collider.samples)
        self.deformation = Deformation(shapes, self.motion) if len(shapes) > 1 else None
        self.still = self.motion.static and self.deformation is None and self.numbers.steady
        self.sticky = self.numbers.sticky
        self.local = shapes[0]
        self.local_velocities = np.zeros_like(self.local)
        faces = oriented(self.local, collider.surface.triangles)
        if not len(faces.triangles):
            raise SceneError("Its faces have no area.", body=collider.name, remedy="Choose a mesh with faces.")
        stretch = self.motion.stretches[0]
        if np.linalg.det(stretch) < 0.0:  # a mirror image turns the faces inwards
            faces = _turned(faces)
        # Up in the frame of the stretched surface at the first transform.
        up = against_gravity(settings) @ self.motion.rotations[0]
        positions = self.local @ stretch.T
        self.kind = _kind(collider, faces, positions, up)
        if self.kind == GROUND and area_vectors(positions, faces.triangles).sum(axis=0) @ up < 0.0:
            faces = _turned(faces)
        self.faces = faces
        self.half = 0.0  # of what is a sheet by itself [m]
        self.shape = self._shape(positions)
        self._thicken(0.0)
        self.beneath = self._beneath if self.kind == GROUND else None
        self.middle = self._to_middle if self.kind == SHEET and len(self.shape.radii) else None
        self.changes = self.motion.stretches_change or self.deformation is not None
        self.shaped_at: float | None = None  # the time at which `shape` is what it is, where it changes [s]
        stretched = [shapes[k] @ stretch.T for k in looks(len(shapes))]
        self.sharp = standing_out(stretched, faces.weld, self.kind == SHEET)

    def _shape(self, positions: NDArray[np.float64]) -> MeshShape:
        surface = triangle_tree(positions, self.faces.triangles)
        winding = winding_tree(surface)
        normals = pseudonormals(positions, self.faces.triangles, self.faces.weld)
        size = float(np.ptp(positions, axis=0).max())
        self.half = SHEET_HALF_THICKNESS * size if self.kind == SHEET else 0.0
        edges = self.faces.edges
        # What deforms may fold over itself later, if by a hair at a face without area: pseudonormals say anything there
        whole = not edges.open_edges and not edges.non_manifold_edges and self.deformation is None
        if self.kind == WOUND and whole and _clean(winding, normals, size):
            self.kind = SOLID
        grid = distance_grid(surface, winding, self.kind, not (self.motion.stretches_change or self.deformation))
        return MeshShape(surface, winding, normals, self.kind, np.nan, np.zeros(0), np.zeros(0), GROUND_DEPTH * size, *grid)

    def carried(
        self, points: NDArray[np.float64], begun: float, time: float, within: float = np.inf
    ) -> NDArray[np.float64]:  # fmt: skip
        """See colliders.Field."""
        moved = self.motion.carried(points, begun, time)
        if self.deformation is None:
            return moved
        # Beside the rigid motion they go as what they are closest to when it begins
        before, pose = self.motion.pose(begun), self.motion.pose(time)
        self._reshape(begun, before)
        change = np.einsum("ni,ij->nj", self.deformation.at(time)[0] - self.local, (pose.rotation @ pose.stretch).T)
        reach = within + 2.0 * (_longest(moved - points) + _longest(change))
        closest = closest_points(self.shape.surface, in_frame(points, before.translation, before.rotation), reach)
        near, moved = np.flatnonzero(closest.triangle >= 0), moved.copy()
        moved[near] += np.einsum("ki,kid->kd", closest.weights[near], change[self.faces.triangles[closest.triangle[near]]])
        return moved

    def grown(self, begun: float, time: float) -> float:
        """See colliders.Field."""
        return self.numbers.grown(begun, time)

    def corners(self, time: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """See colliders.Field."""
        pose = self.motion.pose(time)
        self._thicken(time)
        local = self.local if self.deformation is None else self.deformation.at(time)[0]
        offsets = self.shape.radii if len(self.shape.radii) else np.full(len(local), self.shape.offset)
        return np.einsum("ki,ji->kj", local, pose.rotation @ pose.stretch) + pose.translation, offsets

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
        pose = self._set(time)
        self._seen(self.shape, pose, points, time, margin, distance, normal, velocity)

    def _beneath(
        self,
        points: NDArray[np.float64],
        time: float,
        margin: float,
        distance: NDArray[np.float64],
        normal: NDArray[np.float64],
        velocity: NDArray[np.float64],
    ) -> None:
        """See colliders.Field: the same faces turned over, solid above as deep as they are below.

        They are seen from farther away by as much, so that who comes up there has been seen from beneath before.
        """
        pose = self._set(time)
        turned = self.shape._replace(normals=turned_over(self.shape.normals))
        self._seen(turned, pose, points, time, margin + turned.depth, distance, normal, velocity)

    def _seen(
        self, shape: MeshShape, pose: Pose, points: NDArray[np.float64], time: float, margin: float,
        distance: NDArray[np.float64], normal: NDArray[np.float64], velocity: NDArray[np.float64],
    ) -> None:  # fmt: skip
        """Fill what is seen of a shape, this or this turned over, that has been set to a time [s]."""
        found = contacts(shape, in_frame(points, pose.translation, pose.rotation), margin)
        give_back(found, pose.rotation, distance, normal)
        velocity[:] = 0.0
        if not self.motion.static or self.deformation is not None:
            velocity[found.points] = self._velocity(pose, found)
        rate = self.numbers.rate("thickness", time)
        if rate != 0.0:
            shares = self.numbers.shares(self.faces.triangles[found.triangle], found.weights)
            velocity[found.points] += (rate * shares)[:, None] * normal[found.points]

    def _to_middle(
        self, points: NDArray[np.float64], time: float, margin: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """See colliders.Middle."""
        pose = self._set(time)
        distance, normal, offset = np.empty(len(points)), np.empty((len(points), 3)), np.zeros(len(points))
        found = bare_contacts(self.shape, in_frame(points, pose.translation, pose.rotation), margin)
        give_back(found, pose.rotation, distance, normal)
        offset[found.points] = (found.weights * self.shape.radii[self.faces.triangles[found.triangle]]).sum(axis=1)
        return distance, normal, offset

    def touch(self, points: NDArray[np.float64], time: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """See colliders.Field."""
        if self.numbers.alike:
            return self.numbers.even(len(points), time)
        pose = self._set(time)
        closest = closest_points(self.shape.surface, in_frame(points, pose.translation, pose.rotation))
        return self.numbers.painted_at(self.faces.triangles[closest.triangle], closest.weights, time)

    def _velocity(self, pose: Pose, found: Contacts) -> NDArray[np.float64]:
        """Velocity of the material points that are closest: drift + spin x R S x + R S' x + R S x'."""
        corners = self.faces.triangles[found.triangle]
        placed = np.einsum("ki,kid->kd", found.weights, self.shape.surface.positions[corners])
        arm = np.einsum("ki,ji->kj", placed, pose.rotation)
        velocity: NDArray[np.float64] = pose.velocity + np.cross(pose.spin, arm)
        if pose.stretch_rate.any():
            local = np.einsum("ki,kid->kd", found.weights, self.local[corners])
            velocity += np.einsum("ki,ji->kj", local, pose.rotation @ pose.stretch_rate)
        if self.deformation is not None:
            local = np.einsum("ki,kid->kd", found.weights, self.local_velocities[corners])
            velocity += np.einsum("ki,ji->kj", local, pose.rotation @ pose.stretch)
        return velocity

    def _set(self, time: float) -> Pose:
        """Let thickness and shape be those of a time [s]; return the pose then."""
        pose = self.motion.pose(time)
        self._thicken(time)
        if self.changes:
            self._reshape(time, pose)
        return pose

    def _thicken(self, time: float) -> None:
        """Let the thickness be that of a time [s]."""
        thickness = self.numbers.value("thickness", time)
        offset = self.half + self.numbers.most * thickness
        if offset != self.shape.offset:
            shares = self.numbers.painted.get("thickness")
            radii = np.zeros(0) if shares is None else self.half + shares * thickness
            self.shape = self.shape._replace(offset=offset, radii=radii)
            if len(radii):
                from .uneven import thickest_under

                self.shape = self.shape._replace(thickest=thickest_under(self.shape.surface, radii))
            self.sheet_offset = offset if self.kind == SHEET else None

    def _reshape(self, time: float, pose: Pose) -> None:
        """Let the shape be that of a time [s]."""
        if time == self.shaped_at:
            return
        self.shaped_at = time
        if self.deformation is not None:
            self.local, self.local_velocities = self.deformation.at(time)
        surface = refit(self.shape.surface, np.einsum("ni,ji->nj", self.local, pose.stretch))
        if self.kind in (SOLID, GROUND):  # whose sides they tell apart
            normals = pseudonormals(surface.positions, self.faces.triangles, self.faces.weld)
        else:
            normals = with_faces_moved(self.shape.normals, surface.positions, self.faces.triangles)
        self.shape = self.shape._replace(surface=surface, winding=winding_tree(surface), normals=normals)


def _longest(ways: NDArray[np.float64]) -> float:
    """The length of the longest of ways (k, 3)."""
    return float(np.sqrt((ways * ways).sum(axis=1).max(initial=0.0)))


def _kind(collider: Collider, faces: Oriented, positions: NDArray[np.float64], up: NDArray[np.float64]) -> int:
    areas = area_vectors(positions, faces.triangles)
    if collider.two_sided:
        return SHEET
    if not has_large_holes(areas, positions, faces.weld):
        return WOUND
    return GROUND if is_ground(areas, up) else SHEET


def _clean(winding: WindingTree, normals: Pseudonormals, size: float) -> bool:
    """Whether no part of a closed surface lies inside another: beside each face one side is in, the other out."""
    centroids = winding.surface.positions[winding.surface.triangles].mean(axis=1)
    step = 1e-5 * size * normals.faces
    outside = winding_numbers(winding, centroids + step) < 0.5
    inside = np.abs(winding_numbers(winding, centroids - step) - 1.0) < 0.5
    return bool((outside & inside).all())


def _turned(faces: Oriented) -> Oriented:
    return faces._replace(triangles=faces.triangles[:, [0, 2, 1]], weld=faces.weld[:, [0, 2, 1]])


def build(collider: Collider, settings: Settings) -> MeshField:
    """Return the mesh's field.

    Raises SceneError when the mesh has no faces with an area.
    """
    return MeshField(collider, settings)
