"""Goo presets: one TOML file each, plain data in SI units. Reading one never executes anything."""

import json
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from .errors import SceneError, VersionError
from .materials import Material, complete, models

FORMAT = 1


@dataclass(frozen=True)
class Preset:
    """A named material with the real size it was tuned at.

    identifier : file name without its ending
    look       : one sentence on how it moves
    source     : where the values come from
    real_size  : largest extent of the body it was tuned at [m]
    """

    identifier: str
    name: str
    look: str
    source: str
    real_size: float
    material: Material


def load_preset(path: Path) -> Preset:
    """Read one preset file; raise SceneError or VersionError naming the file and what is wrong with it."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SceneError(f"Preset {path.name} cannot be read: {error}.", remedy="Repair or delete the file.") from None
    if data.get("format") != FORMAT:
        raise VersionError(f"Preset {path.name} has format {data.get('format')}, not {FORMAT}.", remedy="Save it again.")
    try:
        table = dict(data["material"])
        model = models()[table.pop("model")]
        choices = {choice.name for choice in model.choices}
        material = Material(
            model.identifier,
            values={name: float(value) for name, value in table.items() if name not in choices},
            options={name: str(value) for name, value in table.items() if name in choices},
        )
        real_size = float(data["real_size"])
        preset = Preset(path.stem, str(data["name"]), str(data["look"]), str(data["source"]), real_size, complete(material))
    except (KeyError, TypeError, ValueError) as error:
        raise SceneError(f"Preset {path.name} lacks or garbles {error}.", remedy="Compare it with a shipped preset.") from None
    except SceneError as error:
        raise SceneError(f"Preset {path.name}: {error.message}", remedy=error.remedy) from None
    if not 1e-4 <= real_size <= 1e4:
        raise SceneError(f"Preset {path.name} has the real size {real_size:g} m.", remedy="Set it between 0.1 mm and 10 km.")
    return preset


def list_presets(*folders: Path) -> tuple[dict[str, Preset], list[str]]:
    """Return the readable presets of the folders by identifier (later folders win) and a sentence for each bad file."""
    found, complaints = {}, []
    for folder in folders:
        for path in sorted(folder.glob("*.toml")):
            try:
                found[path.stem] = load_preset(path)
            except (SceneError, VersionError) as error:
                complaints.append(str(error))
    return found, complaints


def save_preset(folder: Path, preset: Preset) -> Path:
    """Write a preset as TOML and return its path; the file's name is made from the preset's name."""
    path = folder / f"{preset_identifier(preset.name)}.toml"
    material = complete(preset.material)
    units = {p.name: p.unit for p in models()[material.model].parameters}
    # JSON's strings and repr's floats are valid TOML
    lines = [
        f"format = {FORMAT}",
        *(f"{key} = {json.dumps(getattr(preset, key), ensure_ascii=False)}" for key in ("name", "look", "source")),
        f"real_size = {float(preset.real_size)!r}  # m",
        "",
        "[material]",
        f"model = {json.dumps(material.model)}",
        *(
            f"{name} = {float(value)!r}" + (f"  # {units[name]}" if units[name] else "")
            for name, value in material.values.items()
        ),
        *(f"{name} = {json.dumps(value)}" for name, value in material.options.items()),
    ]
    folder.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".tmp")
    temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")
    temporary.replace(path)
    return path


def preset_identifier(name: str) -> str:
    """Return a file-safe identifier for a preset's name; raise SceneError when nothing of it is left."""
    identifier = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    if not identifier:
        raise SceneError(f"No file name can be made from the preset name '{name}'.", remedy="Use some letters or digits.")
    return identifier
