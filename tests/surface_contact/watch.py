"""ipctk's view of the bodies of a simulation: of what carries their contact, or of what the artist sees."""

from dataclasses import replace

import ipctk
import numpy as np

from solver.contact.surfaces.bodies import touching_bodies
from solver.embedding import evaluate
from solver.geometry.edges import edges_of
from solver.geometry.self_crossing import pierces


def welded(surface):
    """Triangles (t, 3) whose corners are the first of all vertices in one place: whether faces meet or cross there is noise."""
    _, first, place = np.unique(surface.positions, axis=0, return_index=True, return_inverse=True)
    return first[place.ravel()][surface.triangles]


class Watch:
    """Surfaces of a simulation as they are when it is made; `own`: of a body with itself too."""

    def __init__(self, run, own=True, seen=False):
        self.seen = seen
        if seen:
            first = np.cumsum([0] + [len(body.surface.positions) for body in run.scene.bodies])
            faces = [welded(body.surface) + shift for body, shift in zip(run.scene.bodies, first, strict=False)]
            counts = np.diff(first)
        else:
            scene = replace(run.scene, settings=replace(run.scene.settings, body_contact="all"))
            self.contact = touching_bodies(scene, run.state, run.ranges, run.bound[0], run.bound[2])
            faces = [surface.triangles for surface in self.contact.surfaces]
            counts = [len(surface.vertices) for surface in self.contact.surfaces]
        self.faces = np.concatenate(faces).astype(np.int32)
        self.edges = edges_of(self.faces).vertices
        self.mesh = ipctk.CollisionMesh(self.places(run), self.edges, self.faces)
        if not own:
            self.mesh.can_collide = ipctk.make_vertex_patches_filter(np.repeat(np.arange(len(counts)), counts))

    def places(self, run):
        """Where the points (k, 3) are."""
        if not self.seen:
            return self.contact.carried.places(run.state.positions)
        tets, nodes = run.state.tets, run.state.positions
        return np.concatenate([evaluate(binding, tets, nodes) for binding in run.output.surfaces])

    def crosses(self, run, places=None):
        """Whether an edge passes through a face, now or with points at places (k, 3)."""
        return bool(ipctk.has_intersections(self.mesh, self.places(run) if places is None else places))

    def crossing(self, run):
        """How many pairs of an edge and a face cross."""
        return len(self._crossing(run)[0])

    def crossing_faces(self, run):
        """How many pairs of faces cross: an edge that goes through a face brings all faces at it."""
        edges, faces = self._crossing(run)
        sides = np.sort(self.faces[:, [[0, 1], [1, 2], [2, 0]]], axis=2).reshape(-1, 2)
        beside = {}
        for number, side in enumerate(map(tuple, sides.tolist())):
            beside.setdefault(side, []).append(number // 3)
        ends = map(tuple, np.sort(self.edges[edges], axis=1).tolist())
        found = zip(ends, faces.tolist(), strict=True)
        return len({tuple(sorted((one, face))) for side, face in found for one in beside[side]})

    def _crossing(self, run):
        """The edges and faces, by their numbers (k,), of which one passes through the other."""
        places, search = self.places(run), ipctk.LBVH()
        search.can_vertices_collide = self.mesh.can_collide
        search.build(places, self.edges, self.faces)
        pairs = np.array([(c.edge_id, c.face_id) for c in search.detect_edge_face_candidates()], np.int64).reshape(-1, 2)
        ends, corners = self.edges[pairs[:, 0]], self.faces[pairs[:, 1]]
        apart = ~(ends[:, :, None] == corners[:, None, :]).any(axis=(1, 2))
        ends, corners, pairs = places[ends[apart]], places[corners[apart]], pairs[apart]
        return pairs[pierces(ends[:, 0], ends[:, 1], corners)].T
