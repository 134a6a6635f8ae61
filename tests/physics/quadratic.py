"""Linear elasticity with ten-node tets and scipy: a reference that does not lock, independent of the solver."""

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.linalg import spsolve

EDGES = np.array([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]])
NEAR, FAR = (5.0 + 3.0 * 5.0**0.5) / 20.0, (5.0 - 5.0**0.5) / 20.0  # barycentric coordinates of the four points


def stiffness(mesh, mu, lam):
    """The stiffness matrix (3k, 3k) [N/m] of a mesh whose tets get nodes on their edges, and the k nodes' positions."""
    ends = np.sort(mesh.tets[:, EDGES].reshape(-1, 2), axis=1)
    edges, place = np.unique(ends, axis=0, return_inverse=True)
    positions = np.concatenate([mesh.positions, mesh.positions[edges].mean(axis=1)])
    tets = np.concatenate([mesh.tets, len(mesh.positions) + place.reshape(-1, 6)], axis=1)
    spans = mesh.positions[mesh.tets[:, 1:]] - mesh.positions[mesh.tets[:, :1]]
    inner = np.swapaxes(np.linalg.inv(spans), 1, 2)
    gradients = np.concatenate([-inner.sum(axis=1, keepdims=True), inner], axis=1)
    weights = np.linalg.det(spans) / 24.0
    blocks = np.zeros((len(tets), 10, 3, 10, 3))
    for point in range(4):
        c = np.full(4, FAR)
        c[point] = NEAR
        corner = (4.0 * c[:, None] - 1.0) * np.eye(4)
        middle = 4.0 * (np.eye(4)[EDGES[:, 0]] * c[EDGES[:, 1], None] + np.eye(4)[EDGES[:, 1]] * c[EDGES[:, 0], None])
        g = np.einsum("kc,mci->mki", np.concatenate([corner, middle]), gradients)
        blocks += np.einsum("mai,mbj,m->maibj", g, g, lam * weights) + np.einsum("maj,mbi,m->maibj", g, g, mu * weights)
        blocks += np.einsum("mak,mbk,m,ij->maibj", g, g, mu * weights, np.eye(3))
    rows = (3 * tets[:, :, None] + np.arange(3)).reshape(len(tets), 30)
    size = 3 * len(positions)
    where = (np.repeat(rows, 30, axis=1).ravel(), np.tile(rows, (1, 30)).ravel())
    return coo_array((blocks.ravel(), where), shape=(size, size)).tocsc(), positions


def energy_of(matrix, held, displacements):
    """The strain energy [J] of the body whose nodes `held` (k,) are displaced by displacements (k, 3)."""
    u, free = displacements.ravel().copy(), np.repeat(~held, 3)
    u[free] = spsolve(matrix[free][:, free], -(matrix[free][:, ~free] @ u[~free]))
    return 0.5 * float(u @ (matrix @ u))
