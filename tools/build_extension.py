"""Build the installable zips, one per platform and Python, and let Blender's own validator read each.

    python3 tools/build_extension.py                                       all released zips
    python3 tools/build_extension.py --platform linux-x64 --python cp314   one, for example for a distribution's Blender

The code comes out of Blender's own builder (blender_manifest.toml says what it leaves out); this adds the wheels, unmodified
but for those that pyproject.toml trims, and the lines of the manifest that name them. The same sources and pins give the same
bytes.
"""

import argparse
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from environment import CACHE, development_venv, extension_tool, own_tag
from failure import SetUpError
from pins import MANIFEST, PINS, ROOT, wheel_requirements
from trimmed_wheels import FIXED_DATE, built_as, trimmed

MARKER = "# `wheels` and `platforms` are written into each zip"
MANIFEST_NAME = "blender_manifest.toml"


def this_platform() -> str:
    """Blender's name of the machine this runs on."""
    return {"linux": "linux-x64", "win32": "windows-x64", "darwin": "macos-arm64"}[sys.platform]


def fetch_wheels(platform: str, tag: str, python: Path) -> list[Path]:
    """The wheels for that platform and Python, from the cache or the package registry, in a fixed order."""
    folder = CACHE / "wheels" / f"{platform}-{tag}"
    folder.mkdir(parents=True, exist_ok=True)
    requirements = wheel_requirements(tag)
    if not all(_wheel(folder, requirement) for requirement in requirements):
        _download(requirements, platform, tag, folder, python)
    wheels = [_wheel(folder, requirement) for requirement in requirements]
    if not all(wheels):
        raise SetUpError(f"Not every one of {' '.join(requirements)} could be fetched for {platform}, {tag}.")
    return sorted(wheel for wheel in wheels if wheel)


def _download(requirements: list[str], platform: str, tag: str, folder: Path, python: Path) -> None:
    """Into a folder of its own first: another process may be building a zip of the same wheels."""
    with tempfile.TemporaryDirectory(dir=folder.parent) as unfinished:
        command = [str(python), "-m", "pip", "download", "-q", "--no-input", "--only-binary=:all:", "--no-deps"]
        command += ["--implementation", "cp", "--python-version", tag.removeprefix("cp"), "--dest", unfinished]
        for wheel_platform in PINS["platforms"][platform]:
            command += ["--platform", wheel_platform]
        subprocess.run([*command, *requirements], check=True)
        for wheel in Path(unfinished).iterdir():
            trimmed(wheel, folder)


def _wheel(folder: Path, requirement: str) -> Path | None:
    name, version = requirement.split("==")
    found = sorted(folder.glob(f"{name.replace('-', '_')}-{version}-{built_as(name)}*.whl"))
    return found[0] if found else None


def code_archive(folder: Path, tool: Path, python: Path) -> Path:
    """The extension without wheels, as Blender's builder packs it."""
    archive = folder / "code.zip"
    _run_tool(python, tool, "build", "--source-dir", str(ROOT), "--output-filepath", str(archive))
    return archive


def _run_tool(python: Path, tool: Path, *arguments: str) -> None:
    answer = subprocess.run([str(python), str(tool), *arguments], capture_output=True, text=True)
    if answer.returncode != 0:
        raise SetUpError(f"Blender's extension tool refused: {answer.stdout}{answer.stderr}")


def manifest_with_wheels(manifest: str, platform: str, wheels: list[Path]) -> str:
    """The manifest of one zip: the source's, with its marker line replaced by what only this zip has."""
    names = "".join(f'  "./wheels/{wheel.name}",\n' for wheel in wheels)
    lines = manifest.splitlines(keepends=True)
    marked = [number for number, line in enumerate(lines) if line.startswith(MARKER)]
    if len(marked) != 1:
        raise SetUpError(f"{MANIFEST_NAME} must hold exactly one line that begins '{MARKER}'.")
    lines[marked[0]] = f'platforms = ["{platform}"]\nwheels = [\n{names}]\n'
    return "".join(lines)


def write_archive(output: Path, code: Path, platform: str, wheels: list[Path]) -> None:
    """Join code and wheels: sorted names, fixed dates and modes, wheels stored as they are."""
    output.parent.mkdir(parents=True, exist_ok=True)
    unfinished = output.with_suffix(".part")
    with zipfile.ZipFile(code) as source, zipfile.ZipFile(unfinished, "w") as target:
        contents = {name: source.read(name) for name in source.namelist() if not name.endswith("/")}
        contents[MANIFEST_NAME] = manifest_with_wheels(contents[MANIFEST_NAME].decode(), platform, wheels).encode()
        for name in sorted(contents):
            target.writestr(_entry(name, zipfile.ZIP_DEFLATED), contents[name])
        for wheel in wheels:
            target.writestr(_entry(f"wheels/{wheel.name}", zipfile.ZIP_STORED), wheel.read_bytes())
    unfinished.replace(output)


def _entry(name: str, compression: int) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, FIXED_DATE)
    entry.compress_type = compression
    entry.create_system = 3  # Unix, on whatever machine this runs
    entry.external_attr = 0o644 << 16
    return entry


def archive_name(platform: str, tag: str) -> str:
    return f"{MANIFEST['id']}-{MANIFEST['version']}-{platform.replace('-', '_')}-{tag}.zip"


def build(targets: list[tuple[str, str]], output_folder: Path) -> list[Path]:
    """Build and validate one zip per (platform, Python tag)."""
    python = development_venv(own_tag())
    tool = extension_tool(python)
    built = []
    with tempfile.TemporaryDirectory() as folder:
        code = code_archive(Path(folder), tool, python)
        for platform, tag in targets:
            output = output_folder / archive_name(platform, tag)
            write_archive(output, code, platform, fetch_wheels(platform, tag, python))
            _run_tool(python, tool, "validate", str(output))
            built.append(output)
    return built


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--platform", choices=sorted(PINS["platforms"]), help="default: all released")
    parser.add_argument("--python", choices=sorted(PINS["wheels"]), help="default: all released")
    parser.add_argument("--output", type=Path, default=ROOT / "dist", help="folder (default: dist)")
    arguments = parser.parse_args()
    platforms = [arguments.platform] if arguments.platform else list(PINS["platforms"])
    tags = [arguments.python] if arguments.python else list(PINS["venvs"])
    try:
        built = build([(platform, tag) for platform in platforms for tag in tags], arguments.output)
    except SetUpError as error:
        print(error, file=sys.stderr)
        return 1
    for path in built:
        print(f"{path}  {path.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
