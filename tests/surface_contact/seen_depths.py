"""How far what is seen of bodies passes into what it must keep out of: colliders, and each other."""

import numpy as np

from solver.colliders import build_all
from solver.frame import Frame
from solver.geometry.edges import edges_of, welded
from solver.geometry.triangle_tree import TriangleTree, closest_points, triangle_tree
from solver.geometry.winding import winding_numbers, winding_tree
from solver.scene import Scene, Surface

LARGE = 1.5  # element sizes: longer edges are those of large faces


def is_closed(part: Surface) -> bool:
    """Whether no edge of a surface is open, so that it has an inside."""
    return not edges_of(welded(part.positions, part.triangles)).open_edges


class SeenDepths:
    """The deepest that a vertex of what is seen has been in the frames looked at, in element sizes of its body.

    in_colliders : and in a collider, thickness included
    in_bodies    : and in another body that is closed
    by_colliders : that a vertex of a collider has been in a body that is closed and has no faces much larger than a tet, which
                   stay flat where it bends
    """

    def __init__(self, scene: Scene) -> None:
        self.scene, self.fields = scene, build_all(scene)
        self.closed = [is_closed(body.surface) for body in scene.bodies]
        self.bends = [_longest_edge(body.surface) < LARGE * body.element_size for body in scene.bodies]
        self.in_colliders, self.in_bodies, self.by_colliders = 0.0, 0.0, 0.0

    def look(self, frame: Frame) -> None:
        """At a frame as it is shown."""
        settings = self.scene.settings
        time = (frame.number - settings.frame_start) / settings.frames_per_second
        places = [seen.origin + seen.positions for seen in frame.bodies]
        for points, body in zip(places, self.scene.bodies, strict=True):
            for field in self.fields:
                distance, normal, velocity = np.empty(len(points)), np.empty_like(points), np.empty_like(points)
                field.query(points, time, 0.0, distance, normal, velocity)
                self.in_colliders = max(self.in_colliders, -float(distance.min()) / body.element_size)
        corners = [field.corners(time)[0] for field in self.fields if field.sharp is not None]
        elements = [body.element_size for body in self.scene.bodies]
        for k in np.flatnonzero(self.closed):
            tree = triangle_tree(places[k], self.scene.bodies[k].surface.triangles)
            for one, points in enumerate(places):
                if one != k:
                    self.in_bodies = max(self.in_bodies, _depth(tree, points) / elements[one])
            met = corners if self.bends[k] else []
            self.by_colliders = max(self.by_colliders, *(_depth(tree, points) / elements[k] for points in met), 0.0)


def _longest_edge(part: Surface) -> float:
    """[m]"""
    corners = part.positions[part.triangles]
    return float(np.sqrt(((corners - np.roll(corners, 1, axis=1)) ** 2).sum(axis=2).max()))


def _depth(tree: TriangleTree, points: np.ndarray) -> float:
    """How deep [m] the deepest of points (k, 3) lies in a closed surface."""
    low, high = tree.positions.min(axis=0), tree.positions.max(axis=0)
    near = np.ascontiguousarray(points[((points > low) & (points < high)).all(axis=1)])
    inside = near[winding_numbers(winding_tree(tree), near) > 0.5] if len(near) else near
    return float(closest_points(tree, inside).distance.max()) if len(inside) else 0.0
