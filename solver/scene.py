"""The frozen input of a simulation: plain arrays in SI units, world space, right-handed, z up.

This is the one gate: `validated` casts and checks everything once, and every array is trusted after it.
"""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from .collider import FIRST_GROUP, validated_collider
from .collider import Collider as Collider
from .errors import SceneError
from .force_fields.field import ForceField, validated_field
from .force_fields.kinds import kinds
from .integrators import integrators
from .keyframes import at_frame, checked_keys
from .materials import Material, complete, models, scale_to_size
from .painted import validated_painting
from .pins.pin import Pin, validated_pin
from .steering_checks import with_checked_steering
from .surface import Surface as Surface
from .surface import not_finite as not_finite
from .surface import validated_surface
from .topology_checks import check_conditions, check_merging, with_checked_topology
from .volume_checks import with_checked_volume

FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Body:
    """A deformable body.

    uid           : file-safe, unique, kept for life; names caches and reports nothing to the artist
    name          : the artist's name, for messages only
    surface       : the artist's evaluated surface at the first frame
    material      : values at the size of `real_size`
    real_size     : largest extent at which the material was tuned [m]; 0 takes the values literally
    method        : "cage" (lattice cage, any mesh) or "conforming" (tetgen, clean closed meshes)
    resolution    : elements across the largest extent of the body
    remeshing     : a key of REMESHING: whether it gets new tets where flow has worn out the old ones
    remesher      : a key of REMESHERS: what makes its new tets
    seen          : a key of SEEN: which surface is seen of it, and touches things
    tear_thickness : where it gets new tets, a neck or film thinner than this between thicker parts tears [m]; 0: not
    merging       : where it gets new tets, pieces of it that have sunk into each other become one, and bodies too:
    merge_group   : those that merge and have the same number, 1 or more; 0: only its own pieces do
    apart_from    : identifiers of bodies that it never merges with, all the same
    switches      : (k,) values of `merging`, `keep_apart` (`apart_from` counts) and `tear_thickness`, one a frame where keyed
    refine_length : faces much larger than a tet are halved before the bake; where it gets new tets or may, so are seen edges
                    this many times as long as those about them were at the start, and slivers go (solver/refining); 0: not
    borders       : (f,) vertices of the surface at which something that lies on it has a border: cleaning leaves them
    contact_detail : points that touch colliders along an edge of half an element: 1 for what is larger than elements
    velocity      : (3,) initial velocity [m/s]
    angular_velocity : (3,) initial angular velocity about the centre of mass [rad/s]
    goal          : (n, 3) where the surface's vertices lie in the shape that flow is led to [m]; None: flow is free
    goal_rate     : how fast the body flows there by itself [1/s]; 0: only where something deforms it
    fibres        : (3,) one direction, or (n, 3) one a vertex of the surface, of any length, zero where there are no fibres,
                    or (n, 1) weights of the vertices along whose gradient they run
    fibre_stiffness : resistance of the fibres to being stretched, at `real_size` [Pa]
    fibre_tension : with which fibres that are fully activated shorten, at `real_size` [Pa]
    activation    : (k,) how far the fibres are activated, 0 to 1, one a frame from `Settings.frame_start` on, or k = 1
    rise          : (k,) by which share of itself its volume grows in a second while its mass stays [1/s]; one a frame, or k = 1
    volume_rate   : how fast each of its pieces is given the volume back that it should have [1/s]; 0: not at all
    keys          : (k,) values of parameters of the material by name, one a frame as well; `material` holds the first
    painted       : (n,) by what a parameter of the material is multiplied at the vertices, by its name (solver/painted.py)
    pins          : what holds some of its vertices (solver/pins); where two hold a node without give, the first does
    groups        : collision groups, eight bits: it meets bodies and colliders that share one of them
    field_weights : how much of a force field acts on it, by the field's uid; 1 is as on a particle, 0 or no entry nothing
    """

    uid: str
    name: str
    surface: Surface
    material: Material
    real_size: float = 0.0
    method: str = "cage"
    resolution: int = 24
    velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    angular_velocity: tuple[float, float, float] = (0.0, 0.0, 0.0)
    goal: FloatArray | None = None
    goal_rate: float = 0.0
    fibres: FloatArray | None = None
    fibre_stiffness: float = 0.0
    fibre_tension: float = 0.0
    activation: FloatArray = field(default_factory=lambda: np.ones(1))
    rise: FloatArray = field(default_factory=lambda: np.zeros(1))
    keys: dict[str, FloatArray] = field(default_factory=dict)
    painted: dict[str, FloatArray] = field(default_factory=dict)
    pins: tuple[Pin, ...] = ()
    groups: int = FIRST_GROUP
    field_weights: dict[str, float] = field(default_factory=dict)
    contact_detail: int = 1
    remeshing: str = "off"
    remesher: str = "stuffing"
    seen: str = "artist"
    tear_thickness: float = 0.0
    merging: bool = False
    merge_group: int = 0
    apart_from: tuple[str, ...] = ()
    switches: dict[str, FloatArray] = field(default_factory=dict)
    volume_rate: float = 0.0
    refine_length: float = 0.0
    borders: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, dtype=np.int32))

    @property
    def extent(self) -> float:
        """Largest side of the bounding box of its faces [m]."""
        return self.surface.extent

    @property
    def element_size(self) -> float:
        """Edge length of a lattice cell [m]."""
        return self.extent / self.resolution

    @property
    def changes_topology(self) -> bool:
        """Whether the artist's surface may ever be cut, or sewn."""
        most = self.at_most
        return self.seen == "artist" and self.remeshing != "off" and (most.tear_thickness > 0.0 or most.merging)

    @property
    def begins_finer(self) -> bool:
        """Whether faces that are much larger than a tet are halved before the bake."""
        return self.seen == "artist" and self.refine_length > 0.0

    @property
    def refines(self) -> bool:
        """Whether what is seen of it is refined during the bake."""
        return self.begins_finer and self.remeshing != "off"

    @property
    def merges_with_others(self) -> bool:
        """Whether it may become one with other bodies."""
        return self.merging and self.merge_group > 0 and self.remeshing != "off"

    def merges_with(self, other: "Body") -> bool:
        """Whether it may become one with another body."""
        alike = self.merges_with_others and other.merges_with_others and self.merge_group == other.merge_group
        return alike and not self.keeps_apart_from(other)

    def keeps_apart_from(self, other: "Body") -> bool:
        """Whether one of two bodies is never to merge with the other."""
        return other.uid in self.apart_from or self.uid in other.apart_from

    @property
    def may_tear(self) -> bool:
        """Whether it may ever fall apart."""
        return self.remeshing != "off" and bool(self.at_most.tear_thickness > 0.0)

    @property
    def at_most(self) -> "Body":
        """The body with everything switched on that ever is, and kept apart only from what it never may merge with."""
        body = self._switched({name: float(values.max()) for name, values in self.switches.items()})
        return body if self.switches.get("keep_apart", np.ones(1)).min() > 0.5 else replace(body, apart_from=())

    def at(self, place: float) -> "Body":
        """The body with the material and the switches that are keyed at a place in frames after the first."""
        if not self.keys and not self.switches:
            return self
        keyed = {name: float(at_frame(values, place)) for name, values in self.keys.items()}
        body = self._switched({name: float(at_frame(values, place)) for name, values in self.switches.items()})
        return replace(body, material=replace(body.material, values={**body.material.values, **keyed}))

    def _switched(self, values: dict[str, float]) -> "Body":
        merging = values.get("merging", float(self.merging)) > 0.5
        return replace(self, merging=merging, tear_thickness=values.get("tear_thickness", self.tear_thickness))

    def scaled_material(self) -> Material:
        """The material at this body's size in the scene (solver/materials: scale_to_size)."""
        return scale_to_size(self.material, self.size_ratio)

    @property
    def size_ratio(self) -> float:
        """How many times its real size it is large in the scene."""
        return self.extent / self.real_size if self.real_size > 0.0 else 1.0


MOST_RESOLUTION = 512  # that Blender's panel offers
LEAST_REFINE_LENGTH = 1.1  # closer to 1 edges would be halved that have hardly been stretched
REMESHING = {"off": "It keeps its tets", "wholesale": "All of it gets new tets, once and again during the bake"}
REMESHERS = {
    "stuffing": "A lattice is cut at the old surface: quick, well shaped, rounds sharp edges a little",
    "variational": "As in the paper: relaxed Delaunay tets. Some ten times as slow, not as well shaped, keeps sharp edges",
}
SEEN = {
    "artist": "Your own mesh, with all that lies on it",
    "tets": "The surface of the tets themselves, smoothed: for goo that flows so far that your mesh means nothing any more",
}
BODY_CONTACT = {"off": "no bodies", "bodies": "bodies with each other", "all": "bodies with each other and themselves"}


@dataclass(frozen=True)
class Settings:
    """What holds for the whole scene.

    gravity (3,) [m/s^2], and gravity_keys (k, 3) one a frame where it changes, `gravity` being the first; frames
    inclusive; threads 0 = all; integrator: a file of solver/integrators; maximum_substep [s], and calm_substep [s], to which
    steps may grow where hardly anything speeds up or slows down, up to four times as long; body_contact: which of the
    bodies' surfaces touch, a key of BODY_CONTACT, and body_friction their Coulomb coefficient; worst_condition: how badly
    shaped a rest shape may become before its body is remeshed (solver/remesh/condition.py), 1 being a regular tet, and, if not
    0, condition_change: how many times worse than when its tets were new
    """

    frame_start: int = 1
    frame_end: int = 48
    frames_per_second: float = 24.0
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    threads: int = 0
    maximum_substep: float = 1.0 / 48.0
    calm_substep: float = 1.0 / 24.0
    integrator: str = "generalized_alpha"
    gravity_keys: FloatArray | None = None
    body_contact: str = "bodies"
    body_friction: float = 0.5
    worst_condition: float = 3.0
    condition_change: float = 0.0

    @property
    def strongest_gravity(self) -> float:
        """The most that gravity ever is [m/s^2]."""
        vectors = np.array([self.gravity]) if self.gravity_keys is None else self.gravity_keys
        return float(np.sqrt((vectors**2).sum(axis=1)).max())


@dataclass(frozen=True)
class Scene:
    """Everything that a bake depends on."""

    bodies: tuple[Body, ...]
    colliders: tuple[Collider, ...] = ()
    settings: Settings = field(default_factory=Settings)
    force_fields: tuple[ForceField, ...] = ()


def validated(scene: Scene) -> Scene:
    """Return the scene with arrays cast and contiguous; raise SceneError naming the object, place and remedy."""
    if not scene.bodies:
        raise SceneError("There is nothing to bake.", remedy="Select a mesh and press Add Body.")
    settings = _validated_settings(scene.settings)
    uids = [body.uid for body in scene.bodies] + [collider.uid for collider in scene.colliders]
    uids += [one.uid for one in scene.force_fields]
    if len(set(uids)) != len(uids):
        raise SceneError("Two objects share one Dollop identifier.", remedy="Remove and add one of them again.")
    bodies = tuple(_validated_body(body, settings, {collider.uid for collider in scene.colliders}) for body in scene.bodies)
    check_merging(bodies)
    return Scene(
        bodies,
        tuple(validated_collider(collider, _frames(settings)) for collider in scene.colliders),
        settings,
        tuple(validated_field(one, _frames(settings), set(kinds())) for one in scene.force_fields),
    )


def _validated_settings(settings: Settings) -> Settings:
    if settings.frame_end < settings.frame_start:
        raise SceneError(
            f"The frame range {settings.frame_start} to {settings.frame_end} is empty.", remedy="Set End to at least Start."
        )
    if not settings.frames_per_second > 0:
        raise SceneError("The frame rate is not positive.", remedy="Set the scene's frame rate.")
    if settings.integrator not in integrators():
        raise SceneError(
            f"There is no integrator '{settings.integrator}'.", remedy=f"Choose one of {', '.join(integrators())}."
        )
    if settings.body_contact not in BODY_CONTACT:
        raise SceneError(
            f"There is no contact of bodies '{settings.body_contact}'.", remedy=f"Choose one of {', '.join(BODY_CONTACT)}."
        )
    if not 0 <= settings.body_friction < np.inf:
        raise SceneError("The friction between bodies is negative or not finite.", remedy="Set it to 0 or more.")
    check_conditions(settings.worst_condition, settings.condition_change)
    if settings.gravity_keys is None:
        return settings
    keys = checked_keys(settings.gravity_keys, _frames(settings), "The animation of gravity", shape=(3,))
    return replace(settings, gravity_keys=keys, gravity=(float(keys[0, 0]), float(keys[0, 1]), float(keys[0, 2])))


def _frames(settings: Settings) -> int:
    """How many frames there are."""
    return settings.frame_end - settings.frame_start + 1


def _validated_body(body: Body, settings: Settings, colliders: set[str]) -> Body:
    surface = validated_surface(body.surface, body.name)
    body = replace(body, surface=surface)
    if not body.extent > 0:
        raise SceneError("All its vertices lie in one point.", body=body.name, remedy="Give it a size.")
    if body.method not in ("cage", "conforming"):
        raise SceneError(f"There is no tetrahedra method '{body.method}'.", body=body.name)
    body = with_checked_steering(body, _frames(settings))
    if not 2 <= body.resolution <= 512:
        raise SceneError(f"Resolution {body.resolution} is outside 2 to 512.", body=body.name)
    if not 1 <= body.contact_detail <= 8:
        raise SceneError(f"Contact detail {body.contact_detail} is outside 1 to 8.", body=body.name)
    try:
        complete(body.material)
    except SceneError as error:
        raise SceneError(error.message, body=body.name, remedy=error.remedy) from None
    model = models()[body.material.model]
    if not model.steerable and (body.goal is not None or body.fibres is not None):
        raise SceneError(
            f"The model {model.label} follows neither goal shapes nor fibres.",
            body=body.name,
            remedy="Remove them, or choose another model.",
        )
    body = replace(with_checked_volume(body, _frames(settings)), painted=validated_painting(body))
    _check_remeshing(body)
    body = with_checked_topology(body, _frames(settings))
    count = len(surface.positions)
    pins = tuple(validated_pin(pin, body.name, count, _frames(settings), colliders) for pin in body.pins)
    return _with_validated_keys(replace(body, pins=pins), settings)


def _check_remeshing(body: Body) -> None:
    for what, chosen, end, known in (
        ("remeshing", body.remeshing, "", REMESHING), ("remesher", body.remesher, "", REMESHERS),
        ("surface", body.seen, " to be seen", SEEN),
    ):  # fmt: skip
        if chosen not in known:
            message = f"There is no {what} '{chosen}'{end}."
            raise SceneError(message, body=body.name, remedy=f"Choose one of {', '.join(known)}.")
    if body.refine_length != 0.0 and not LEAST_REFINE_LENGTH <= body.refine_length < np.inf:
        raise SceneError(
            f"Its longest edges, {body.refine_length:g} times those at the start, are below {LEAST_REFINE_LENGTH:g}.",
            body=body.name,
            remedy="Raise Longest Edge, or set Refine Surface off.",
        )
    model = models()[complete(body.material).model]
    if body.remeshing != "off" and model.dynamics != "newton":
        raise SceneError(
            f"The model {model.label} takes no new tets.",
            body=body.name,
            remedy="Choose another model, or set Remeshing to Off.",
        )


def _with_validated_keys(body: Body, settings: Settings) -> Body:
    """The keys of the material checked, sorted by name, and their first values in the material."""
    parameters = {parameter.name: parameter for parameter in models()[body.material.model].parameters}
    keys = {}
    for name, values in sorted(body.keys.items()):
        parameter = parameters.get(name)
        if parameter is None or not parameter.keyed:
            raise SceneError(f"Its {name} cannot change over time.", body=body.name, remedy="Remove its keys.")
        keys[name] = checked_keys(
            values, _frames(settings), f"The animation of {parameter.label} ({name})", least=parameter.minimum,
            most=parameter.maximum, body=body.name,
        )  # fmt: skip
    return replace(body, keys=keys).at(0.0)
