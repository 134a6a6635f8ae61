"""Material models, one file each: a file of this folder that defines MODEL is found by itself."""

from functools import cache

from ..declared import modules_with
from ..errors import SceneError
from .contract import SIZE_EXPONENT, Choice, Material, MaterialModel, Parameter

__all__ = ["Choice", "Material", "MaterialModel", "Parameter", "complete", "models", "scale_to_size", "stress_scale"]


DEFAULT_MODEL = "viscoplastic"


@cache
def models() -> dict[str, MaterialModel]:
    """Return every material model by its identifier, the default one first."""
    found: dict[str, MaterialModel] = {module.MODEL.identifier: module.MODEL for module in modules_with(__name__, "MODEL")}
    return {DEFAULT_MODEL: found.pop(DEFAULT_MODEL), **found}


def complete(material: Material) -> Material:
    """Return the material with every parameter and choice present, checked against its model's ranges.

    Raises SceneError on an unknown model, an unknown name or a value out of range.
    """
    model = models().get(material.model)
    if model is None:
        raise SceneError(f"There is no material model '{material.model}'.", remedy=f"Choose one of {', '.join(models())}.")
    values = {p.name: float(material.values.get(p.name, p.default)) for p in model.parameters}
    options = {c.name: material.options.get(c.name, c.default) for c in model.choices}
    unknown = (set(material.values) - set(values)) | (set(material.options) - set(options))
    if unknown:
        raise SceneError(f"Material model '{material.model}' has no '{sorted(unknown)[0]}'.", remedy="Remove it.")
    for p in model.parameters:
        if not p.minimum <= values[p.name] <= p.maximum:
            raise SceneError(
                f"{p.label} ({p.name}) is {values[p.name]:g} {p.unit}, outside {p.minimum:g} to {p.maximum:g}.",
                remedy="Set it inside the range.",
            )
    for c in model.choices:
        if options[c.name] not in {identifier for identifier, _, _ in c.options}:
            raise SceneError(f"{c.label} ({c.name}) has no option '{options[c.name]}'.", remedy="Choose one of the list.")
    return Material(material.model, values, options)


def scale_to_size(material: Material, length_ratio: float) -> Material:
    """Return the material that makes a body `length_ratio` times as large move alike, slowed by its square root.

    With density and gravity unchanged, equal density x gravity x size / stress needs stresses in proportion to
    length, and equal rate x fall time needs rates in proportion to 1 / sqrt(length).
    """
    full = complete(material)
    exponents = {p.name: SIZE_EXPONENT[p.unit] for p in models()[material.model].parameters}
    values = {name: value * length_ratio ** exponents[name] for name, value in full.values.items()}
    return Material(full.model, values, full.options)


def stress_scale(length_ratio: float) -> float:
    """Return how many times as large stresses are in such a body."""
    return float(length_ratio ** SIZE_EXPONENT["Pa"])
