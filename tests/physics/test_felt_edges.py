"""What edges of colliders felt when a step ended is what a later one may push with; deeper places are let out."""

import numpy as np

from solver.contact.edges.felt import AROUND, Felt

UP = np.array([[0.0, 0.0, 1.0]])


def around(felt, place, normal=UP, number=0):
    """For elements of a metre."""
    return float(felt.around(number, np.array([place]), np.asarray(normal), 1.0)[0])


def test_what_was_felt_at_a_place_holds_beside_it_and_nowhere_else():
    places = np.array([[0.0, 0.0, 0.0], [0.1, 0.0, 0.0], [0.2, 0.0, 0.0]])
    felt = Felt.of(places, np.repeat(UP, 3, axis=0), np.array([0.03, -0.01, 0.05]), np.array([0, 0, 0], np.int32))
    assert len(felt.depths) == 2  # one was not pushed
    assert around(felt, (0.02, 0.0, 0.0)) == 0.03 and around(felt, (0.15, 0.0, 0.0)) == 0.05
    assert around(felt, (0.2 + 1.01 * AROUND, 0.0, 0.0)) == 0.0
    assert around(felt, (0.02, 0.0, 0.0), number=1) == 0.0
    assert around(felt, (0.0, 0.0, 0.0), -UP) == 0.0  # from the other side
    tilted = [[np.sin(0.5), 0.0, np.cos(0.5)]]
    assert around(felt, (0.0, 0.0, 0.0), tilted) == 0.03
    again = Felt.from_arrays(felt.arrays())
    assert around(again, (0.02, 0.0, 0.0)) == 0.03
    assert len(Felt.from_arrays({}).depths) == 0


class Lift:
    """A collider that rises at a metre a second."""

    def carried(self, places, begun, time):
        return places + (time - begun) * UP


class Still:
    """One that stays."""

    def carried(self, places, begun, time):
        return places


def test_what_was_felt_goes_with_its_collider():
    """Of two, one of which rises."""
    felt = Felt.of(np.zeros((2, 3)), np.repeat(UP, 2, axis=0), np.array([0.03, 0.05]), np.array([0, 1], np.int32))
    later = felt.carried({0: Lift(), 1: Still()}, 1.0, 1.5)
    assert around(later, (0.0, 0.0, 0.5)) == 0.03 and around(later, (0.0, 0.0, 0.0)) == 0.0
    assert around(later, (0.0, 0.0, 0.0), number=1) == 0.05
