"""How far what is seen of bodies passes into what it must keep out of: colliders, and each other."""

import numpy as np

from solver.colliders import build_all
from solver.frame import Frame
from solver.geometry.edges import edges_of, welded
from solver.geometry.triangle_tree import closest_points, triangle_tree
from solver.geometry.winding import winding_numbers, winding_tree
from solver.scene import Scene, Surface


def is_closed(part: Surface) -> bool:
    """Whether no edge of a surface is open, so that it has an inside."""
    return not edges_of(welded(part.positions, part.triangles)).open_edges


class SeenDepths:
    """The deepest that a vertex of what is seen has been in the frames looked at, in element sizes of its body.

    in_colliders : and in a collider, thickness included
    in_bodies    : and in another body that is closed
    """

    def __init__(self, scene: Scene) -> None:
        self.scene, self.fields = scene, build_all(scene)
        self.closed = [is_closed(body.surface) for body in scene.bodies]
        self.in_colliders, self.in_bodies = 0.0, 0.0

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
        for k in np.flatnonzero(self.closed):
            self._look_inside(k, places)

    def _look_inside(self, k: int, places: list[np.ndarray]) -> None:
        """At what lies in body k."""
        low, high, tree = places[k].min(axis=0), places[k].max(axis=0), None
        for one, points in enumerate(places):
            near = points[((points > low) & (points < high)).all(axis=1)]
            if one == k or not len(near):
                continue
            tree = triangle_tree(places[k], self.scene.bodies[k].surface.triangles) if tree is None else tree
            inside = near[winding_numbers(winding_tree(tree), near) > 0.5]
            if len(inside):
                depth = float(closest_points(tree, inside).distance.max())
                self.in_bodies = max(self.in_bodies, depth / self.scene.bodies[one].element_size)
