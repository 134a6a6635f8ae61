"""Whether what touches a moving collider gains energy that the collider has not given: counted by momentum, step by step."""

from dataclasses import replace

import numpy as np

from solver.bake import prepare
from solver.contact.contacts import query
from solver.fem.attempt import Attempt
from solver.materials import Material
from solver.scene import Body, Collider, Scene, Settings, Surface, validated
from solver.simulate import Simulation
from solver.slots import ENERGY, VOLUME

RUBBER = {"density": 1000.0, "young_modulus": 2e5, "poisson_ratio": 0.4, "yield_stress": 1e9, "flow_rate": 0.0}


class ColliderLedger(Simulation):
    """A simulation of what meets one rigid collider alone, that counts energy against that collider's work.

    Where a collider goes at V and turns at w about c, what it pushes with the impulse J and the moment L about c gets the work
    V . J + w . L: that is exact for any scheme, as both are what momentum and spin have changed by, beside gravity.

    work  : what it has done so far [J]; worked: what it has given and what it has taken, both counted up
    owned : energy at the start, of motion, height and strain, and of contact's springs
    excess: at the end of each step what there is beyond `owned` and `work` [J]; moving: the most energy of motion and strain
    """

    def account(self) -> None:
        """Count from now on."""
        self.work, self.worked, self.moving, self.excess = 0.0, 0.0, 0.0, []
        self.owned = self._motion() + self._height()

    def _motion(self) -> float:
        return float(0.5 * (self.state.masses[:, None] * self.state.velocities**2).sum())

    def _height(self) -> float:
        return float(-(self.state.masses[:, None] * self.state.positions * np.array(self.gravity)).sum())

    def _momenta(self, center: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Momentum (3,), spin (3,) and the first moment of mass (3,) about a place (3,)."""
        arms, masses = self.state.positions - center, self.state.masses[:, None]
        momentum = masses * self.state.velocities
        return momentum.sum(axis=0), np.cross(arms, momentum).sum(axis=0), (masses * arms).sum(axis=0)

    def _accept(self, attempt: Attempt) -> None:
        step, (field,) = self.clock.step, self.fields
        pose = field.motion.pose(self.clock.time + 0.5 * step)
        speed = pose.velocity + self._growth(self.clock.time + 0.5 * step)
        gravity, mass = np.array(self.gravity), self.state.masses.sum()
        before = self._momenta(pose.translation)
        tiles, count = self.space.tiles, len(self.state.tets)
        strain = float((tiles.unpack(ENERGY, 1, count) * tiles.unpack(VOLUME, 1, count)).sum())
        super()._accept(attempt)
        after = self._momenta(pose.translation)
        push = after[0] - before[0] - step * mass * gravity
        moment = after[1] - before[1] - 0.5 * step * np.cross(before[2] + after[2], gravity)
        given = float(speed @ push + pose.spin @ moment)
        self.work, self.worked = self.work + given, self.worked + abs(given)
        strain += self._springs(attempt)
        self.moving = max(self.moving, self._motion() + strain)
        self.excess.append(self._motion() + self._height() + strain - self.owned - self.work)

    def _growth(self, time: float) -> np.ndarray:
        """The velocity (3,) at which a still collider says that its flat top comes as it gets thicker, at a time [s]."""
        (field,) = self.fields
        return np.zeros(3) if field.numbers.steady else query(field, np.array([[0.0, 0.0, 2.0]]), time, np.inf)[2][0]

    def _springs(self, attempt: Attempt) -> float:
        """Energy of contact's springs along normals at a step's end [J]."""
        entries, spoilt = attempt.outcome.entries, np.zeros_like(attempt.outcome.positions)
        smooth = replace(entries, grip=np.zeros_like(entries.grip))
        return smooth.add_gradient(attempt.outcome.positions, spoilt)


def meeting(
    body: Surface, collider: Surface, transforms: np.ndarray, friction: float, velocity=(0.0, 0.0, 0.0), gravity=0.0,
    resolution=5, young=2e5, frames=24, keys=None, **settings,
) -> ColliderLedger:  # fmt: skip
    """A body of rubber and a mesh collider by its transforms (k, 4, 4), one a frame from the one before the first on.

    keys: what else of it is keyed
    """
    goo = Material("viscoplastic", RUBBER | {"young_modulus": young}, {})
    bodies = (Body("b", "Body", body, goo, resolution=resolution, velocity=velocity),)
    colliders = (Collider("c", "Collider", "mesh", transforms, collider, friction=friction, keys=keys or {}),)
    options = Settings(1, frames, threads=1, gravity=(0.0, 0.0, -gravity), body_contact="off", **settings)
    scene = validated(Scene(bodies, colliders, options))
    prepared = prepare(scene)
    run = ColliderLedger(scene, *([getattr(item, name) for item in prepared] for name in ("mesh", "surface", "contacts")))
    run.account()
    return run
