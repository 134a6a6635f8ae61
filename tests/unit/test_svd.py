"""Signed singular value decomposition (claim I5): rotations only, the sign on the smallest value, degenerate input."""

import numpy as np
import pytest

from solver.svd import signed_svd


def cases() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(7)
    plain = rng.normal(size=(500, 3, 3))
    turn, _ = np.linalg.qr(rng.normal(size=(500, 3, 3)))
    turn *= np.sign(np.linalg.det(turn))[:, None, None]
    column = rng.normal(size=(500, 3, 1))
    return {
        "plain": plain,
        "inverted": -turn @ (np.array([1.4, 1.1, 0.7])[:, None] * np.swapaxes(turn[::-1], 1, 2)),
        "rotations": turn,
        "reflections": -turn,
        "zero": np.zeros((3, 3, 3)),
        "rank one": column * rng.normal(size=(500, 1, 3)),
        "flat": plain * np.array([1.0, 1.0, 0.0]),
        "flat by rows": plain * np.array([[1.0], [0.0], [1.0]]),
        "condition 1e4": turn @ (np.array([1.0, 1e-2, 1e-4])[:, None] * np.swapaxes(turn[::-1], 1, 2)),
        "two equal": turn @ (np.array([2.0, 0.5, 0.5])[:, None] * np.swapaxes(turn[::-1], 1, 2)),
        "small": 1e-9 * plain,
        "large": 1e9 * plain,
    }


@pytest.mark.parametrize("name", cases())
def test_rotations_times_signed_values_give_the_matrix(name: str) -> None:
    matrices = cases()[name]
    u, s, v = signed_svd(matrices)
    size = max(np.abs(matrices).max(), 1e-300)
    assert np.abs(u @ (s[:, :, None] * np.swapaxes(v, 1, 2)) - matrices).max() <= 1e-12 * size
    for rotation in (u, v):
        assert np.abs(rotation @ np.swapaxes(rotation, 1, 2) - np.eye(3)).max() < 1e-13
        assert np.abs(np.linalg.det(rotation) - 1.0).max() < 1e-13
    assert (s[:, :2] >= 0.0).all()
    assert (np.diff(np.abs(s), axis=1) <= 1e-12 * size).all()
    assert np.abs(np.abs(s) - np.linalg.svd(matrices, compute_uv=False)).max() <= 1e-12 * size
    det = np.linalg.det(matrices)
    clear = np.abs(det) > 1e-9 * size**3
    assert (np.sign(s[clear, 2]) == np.sign(det[clear])).all()


@pytest.mark.parametrize("name", cases())
def test_single_precision_is_as_good_as_its_rounding(name: str) -> None:
    """Fourth powers of the entries have to fit: 1e-8 to 1e8, far more than deformation gradients need."""
    scale = {"small": 1e2, "large": 1e-2}.get(name, 1.0)
    matrices = (scale * cases()[name]).astype(np.float32)
    u, s, v = signed_svd(matrices)
    assert u.dtype == s.dtype == v.dtype == np.float32
    size = max(np.abs(matrices).max(), 1e-30)
    assert np.abs(u @ (s[:, :, None] * np.swapaxes(v, 1, 2)) - matrices).max() <= 3e-6 * size
    for rotation in (u, v):
        assert np.abs(rotation @ np.swapaxes(rotation, 1, 2) - np.eye(3)).max() < 2e-6
        assert np.abs(np.linalg.det(rotation) - 1.0).max() < 2e-6


def test_zero_gives_identities() -> None:
    u, s, v = signed_svd(np.zeros((1, 3, 3)))
    assert (u == np.eye(3)).all() and (v == np.eye(3)).all() and (s == 0.0).all()


def test_a_wrong_shape_is_refused() -> None:
    with pytest.raises(ValueError, match="shape"):
        signed_svd(np.zeros((3, 3)))
