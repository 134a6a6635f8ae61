"""What new elements come from: carried values, the main ones, two changes as one."""

import numpy as np

from solver.topology.parentage import Parentage, beside


def some(count: int, new: int, seed: int, kept: int = 0, width: int = 4) -> Parentage:
    """Elements the first of which stay, and others each between as many old ones."""
    rng = np.random.default_rng(seed)
    weights = rng.random((new, width))
    which = np.sort(rng.choice(count, kept, replace=False))
    return Parentage.between(
        count, rng.integers(0, count, (new, width)), weights / weights.sum(axis=1, keepdims=True), which
    )  # fmt: skip


def ragged(count: int) -> Parentage:
    """Three elements between one, three and two old ones, and one that stays between them."""
    weights = np.array([1.0, 0.5, 0.25, 0.25, 0.125, 0.875])
    return Parentage(count, np.array([-1, 2, -1, -1]), np.array([0, 1, 4, 6]), np.array([3, 0, 1, 2, 2, 1]), weights)


def test_what_stays_keeps_every_bit_and_what_is_new_is_a_mean():
    values = np.random.default_rng(1).normal(size=(9, 3))
    part = some(9, 5, 2, kept=4)
    now = part.carried(values)
    assert now[:4].tobytes() == values[part.same[:4]].tobytes()
    rows = part.sources.reshape(5, 4), part.weights.reshape(5, 4)
    assert np.abs(now[4:] - np.einsum("ni,nik->nk", rows[1], values[rows[0]])).max() < 1e-15
    assert part.fresh.tolist() == [4, 5, 6, 7, 8] and not part.nothing and Parentage.staying(9).nothing
    expected = [values[3], values[2], 0.5 * values[0] + 0.25 * (values[1] + values[2]), 0.125 * values[2] + 0.875 * values[1]]
    assert np.abs(ragged(9).carried(values) - expected).max() < 1e-15


def test_the_main_one_is_that_which_weighs_most_and_of_equals_the_first():
    assert ragged(5).main().tolist() == [3, 2, 0, 1]
    even = Parentage.between(6, np.array([[5, 1, 4], [2, 0, 3]]), np.array([[0.2, 0.4, 0.4], [0.5, 0.0, 0.5]]))
    assert even.main().tolist() == [1, 2]


def test_two_changes_as_one_carry_what_both_do():
    values = np.random.default_rng(4).normal(size=(12, 2))
    order = Parentage.staying(12, np.random.default_rng(5).permutation(12))
    chain = [some(12, 7, 6, kept=5), order, ragged(12), Parentage.staying(12), some(12, 8, 7)]
    for first in chain:
        for last in (some(len(first.same), 6, 8, kept=2), ragged(len(first.same)), Parentage.staying(len(first.same))):
            both, apart = first.then(last), last.carried(first.carried(values))
            assert both.count == 12 and np.abs(both.carried(values) - apart).max() < 1e-15
            stays = both.same >= 0
            assert both.carried(values)[stays].tobytes() == values[both.same[stays]].tobytes()
            assert (stays == ((last.same >= 0) & (first.same[last.same] >= 0))).all()
            lengths = np.diff(both.start)
            assert np.abs(np.add.reduceat(both.weights, both.start[:-1]) - 1.0).max(initial=0.0) < 1e-15 or not len(lengths)


def test_a_copy_of_what_stays_is_new_all_the_same():
    """As where a crack parts a node in two."""
    values = np.random.default_rng(14).normal(size=(9, 2))
    first, copies = some(9, 5, 15, kept=4), Parentage.between(9, np.array([[2], [7], [2]]), np.ones((3, 1)))
    both = first.then(copies)
    assert (both.same == -1).all() and np.abs(both.carried(values) - first.carried(values)[[2, 7, 2]]).max() < 1e-15
    assert both.main()[0] == both.main()[2] == first.same[2]


def test_where_one_of_both_only_renumbers_nothing_is_rounded():
    values = np.random.default_rng(9).normal(size=(12, 4))
    order, part = Parentage.staying(12, np.random.default_rng(10).permutation(12)), some(12, 20, 11)
    assert order.then(part).carried(values).tobytes() == part.carried(order.carried(values)).tobytes()
    turned = Parentage.staying(20, np.arange(20)[::-1])
    assert part.then(turned).carried(values).tobytes() == part.carried(values)[::-1].tobytes()
    assert part.then(turned).main().tolist() == part.main()[::-1].tolist()


def test_bodies_beside_each_other_are_numbered_through():
    one, other = some(4, 3, 12, kept=2), ragged(5)
    places = [np.array([8, 0, 3, 4]), np.array([1, 2, 5, 6, 7])]
    both, values = beside([one, other], places, 9), np.random.default_rng(13).normal(size=(9, 2))
    expected = np.concatenate([part.carried(values[own]) for part, own in zip((one, other), places, strict=True)])
    assert np.abs(both.carried(values) - expected).max() < 1e-15
