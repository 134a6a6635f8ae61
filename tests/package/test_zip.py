"""What lies in a built zip."""

import base64
import csv
import hashlib
import io
import subprocess
import tomllib
import zipfile
from pathlib import Path

import pytest

from build_extension import archive_name, build
from environment import development_venv, extension_tool, own_tag
from pins import MANIFEST, PINS, ROOT

pytestmark = pytest.mark.package

RELEASED = [(platform, tag) for platform in PINS["platforms"] for tag in PINS["venvs"]]


@pytest.fixture(scope="module", params=RELEASED, ids=lambda target: "-".join(target))
def built(request: pytest.FixtureRequest, output_folder: Path) -> tuple[Path, str, str]:
    platform, tag = request.param
    (path,) = build([request.param], output_folder)
    return path, platform, tag


def test_the_manifest_lists_exactly_the_wheels_inside(built: tuple[Path, str, str]) -> None:
    path, platform, tag = built
    assert path.name == archive_name(platform, tag)
    with zipfile.ZipFile(path) as archive:
        manifest = tomllib.loads(archive.read("blender_manifest.toml").decode())
        inside = {name for name in archive.namelist() if name.startswith("wheels/")}
        assert archive.testzip() is None
    assert manifest["platforms"] == [platform]
    assert {name.removeprefix("./") for name in manifest["wheels"]} == inside
    assert {Path(name).name.split("-")[0] for name in inside} == set(PINS["wheels"][tag])
    assert "numpy" not in {Path(name).name.split("-")[0] for name in inside}
    system = {"linux-x64": "manylinux", "windows-x64": "win_amd64", "macos-arm64": "arm64"}[platform]
    assert all(system in name for name in inside)


def test_what_is_carried_of_a_wheel_is_unmodified(built: tuple[Path, str, str]) -> None:
    """Every file of it still matches the checksum that its RECORD holds, and that is all there is."""
    with zipfile.ZipFile(built[0]) as archive:
        for name in archive.namelist():
            if not name.endswith(".whl"):
                continue
            with zipfile.ZipFile(io.BytesIO(archive.read(name))) as wheel:
                (record,) = [item for item in wheel.namelist() if item.endswith(".dist-info/RECORD")]
                rows = list(csv.reader(io.StringIO(wheel.read(record).decode())))
                assert {path for path, *_ in rows} == {item for item in wheel.namelist() if not item.endswith("/")}
                for path, checksum, _ in rows:
                    if checksum:
                        digest = hashlib.sha256(wheel.read(path)).digest()
                        assert checksum == "sha256=" + base64.urlsafe_b64encode(digest).rstrip(b"=").decode(), path


def test_of_a_trimmed_wheel_only_what_is_used_is_carried(built: tuple[Path, str, str]) -> None:
    """libigl's holds Triangle, which may not be sold, and folders beside other add-ons' own."""
    with zipfile.ZipFile(built[0]) as archive:
        for name in PINS["trimmed"]:
            (found,) = (item for item in archive.namelist() if item.startswith(f"wheels/{name}-"))
            with zipfile.ZipFile(io.BytesIO(archive.read(found))) as wheel:
                items = wheel.namelist()
            assert {item.split("/")[0] for item in items} == {"igl", f"{name}-{PINS['wheels'][built[2]][name]}.dist-info"}
            assert not any("triangle" in item or "embree" in item for item in items)
            assert any("/licenses/" in item for item in items) and any("cgal/pyigl" in item for item in items)


def test_only_the_extension_is_inside(built: tuple[Path, str, str]) -> None:
    with zipfile.ZipFile(built[0]) as archive:
        top = {name.split("/")[0] for name in archive.namelist()}
    assert {"__init__.py", "operators", "panels", "solver", "presets", "LICENSE", "blender_manifest.toml", "wheels"} <= top
    assert top <= {"__init__.py", "operators", "panels", "solver", "presets", "wheels"} | {
        "LICENSE",
        "README.md",
        "CHANGELOG.md",
        "blender_manifest.toml",
    }


def test_the_same_sources_give_the_same_bytes(tmp_path: Path, output_folder: Path) -> None:
    target = RELEASED[0]
    (one,) = build([target], output_folder)
    (two,) = build([target], tmp_path)
    assert one.read_bytes() == two.read_bytes()


def test_the_source_tree_validates() -> None:
    python = development_venv(own_tag())
    command = [str(python), str(extension_tool(python)), "validate", str(ROOT)]
    answer = subprocess.run(command, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stdout + answer.stderr


def test_licences_of_the_wheels_are_documented() -> None:
    documented = (ROOT / "docs" / "licences.md").read_text(encoding="utf-8")
    for wheels in PINS["wheels"].values():
        for name, version in wheels.items():
            assert f"{name} {version}" in documented


def test_the_changelog_knows_this_version() -> None:
    assert f"## [{MANIFEST['version']}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
