"""What a material model declares about itself; properties, panels, presets and scaling are generated from it."""

from dataclasses import dataclass, field

# A body of another size behaves alike when stresses grow with length, times with its square root, and rates fall with it
# (density and gravity stay): the exponent of (scene size / real size) for each unit.
SIZE_EXPONENT = {"Pa": 1.0, "N/m": 2.0, "s": 0.5, "1/s": -0.5, "kg/m^3": 0.0, "": 0.0}


@dataclass(frozen=True)
class Parameter:
    """One number of a material: SI unit, default, hard range and a tooltip.

    `unit` is a key of SIZE_EXPONENT; `label` is the artist's word, `description` gives the physical one. `only_with` names
    the choice and the option that it belongs to; with another option it means nothing and is not shown. `keyed` says whether
    it may change over time.
    """

    name: str
    label: str
    unit: str
    default: float
    minimum: float
    maximum: float
    description: str
    only_with: tuple[str, str] | None = None
    keyed: bool = True


@dataclass(frozen=True)
class Choice:
    """One named option of a material: (identifier, label, description) triples, the first is the default."""

    name: str
    label: str
    options: tuple[tuple[str, str, str], ...]
    description: str

    @property
    def default(self) -> str:
        return self.options[0][0]


@dataclass(frozen=True)
class MaterialModel:
    """A material model's declaration: its identifier, its parameters and choices, and the paper it follows.

    dynamics  : what moves a body of it, a key of solver/dynamics.py
    steerable : whether it takes goal shapes and fibres
    """

    identifier: str
    label: str
    description: str
    source: str
    parameters: tuple[Parameter, ...]
    choices: tuple[Choice, ...] = ()
    dynamics: str = "newton"
    steerable: bool = True


@dataclass(frozen=True)
class Material:
    """The values of one material: `values[name]` in SI units, `options[name]` identifiers of choices."""

    model: str
    values: dict[str, float] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)
