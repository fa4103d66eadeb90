from __future__ import annotations

import copy
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from hpp.core import manifest as module
from hpp.core.errors import RefusedError
from hpp.core.manifest import (
    NAME,
    Manifest,
    find_manifest,
    load_manifest,
    packaged_manifest_path,
    parse_manifest,
)

if TYPE_CHECKING:
    from pathlib import Path

# What a command that runs before every tool call must not pay for.
HEAVY = {
    "argparse", "collections", "dataclasses", "enum", "functools", "importlib.metadata", "json",
    "jsonschema", "pathlib", "re", "subprocess", "typing",
}  # fmt: skip


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with no manifest above it, where no checkout is beside the package."""
    monkeypatch.setattr(module, "_beside_source", lambda: None)
    for folder in (tmp_path, *tmp_path.parents):
        assert not (folder / NAME).exists(), "the test's folder lies below a manifest"
    return tmp_path


def test_a_given_file_is_used_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    assert find_manifest("x.json") == str(tmp_path / "x.json")
    assert find_manifest("a/../x.json", str(tmp_path / "b")) == str(tmp_path / "b" / "x.json")
    assert find_manifest(str(tmp_path / "y"), os.sep) == str(tmp_path / "y")


def test_an_empty_name_is_refused(elsewhere: Path) -> None:
    with pytest.raises(RefusedError, match="--manifest: an empty value"):
        find_manifest("", str(elsewhere))


def test_the_nearest_regular_file_is_used_even_if_it_is_broken(elsewhere: Path) -> None:
    inner = elsewhere / "a" / "b"
    inner.mkdir(parents=True)
    (elsewhere / NAME).write_text("{}", encoding="utf-8")
    (elsewhere / "a" / NAME).mkdir()

    assert find_manifest(None, str(inner)) == str(elsewhere / NAME)
    with pytest.raises(RefusedError, match=r"hpp\.manifest\.json: protocol_version: "):
        load_manifest(find_manifest(None, str(inner)))

    (inner / NAME).write_text("[]", encoding="utf-8")
    assert find_manifest(None, str(inner)) == str(inner / NAME)


def test_a_link_to_a_file_counts_and_a_link_to_nothing_does_not(elsewhere: Path) -> None:
    inner = elsewhere / "a"
    inner.mkdir()
    (elsewhere / NAME).write_text("{}", encoding="utf-8")
    try:
        (inner / NAME).symlink_to(elsewhere / "absent")
    except OSError:
        pytest.skip("this system lets this user make no links")

    assert find_manifest(None, str(inner)) == str(elsewhere / NAME)
    (elsewhere / "absent").write_text("{}", encoding="utf-8")
    assert find_manifest(None, str(inner)) == str(inner / NAME)


def test_without_one_nearby_the_packaged_copy_serves(elsewhere: Path) -> None:
    assert find_manifest(None, str(elsewhere)) == packaged_manifest_path()


def test_a_checkout_s_own_comes_before_the_packaged_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "packages" / "hpp-core" / "src" / "hpp" / "core"
    source.mkdir(parents=True)
    monkeypatch.setattr(module, "_HERE", str(source))

    assert module._beside_source() is None
    (tmp_path / NAME).write_text("{}", encoding="utf-8")
    assert module._beside_source() == str(tmp_path / NAME)


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps a working directory from going")
def test_a_working_directory_that_is_gone_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()

    with pytest.raises(RefusedError, match="working directory"):
        find_manifest(None)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "it is empty"),
        (b"{", "a key in double quotes is expected"),
        (b"[]", "expected an object, got an array"),
        (b'"x"', "expected an object"),
        (b'{"hosts": 1, "hosts": 2}', '"hosts" is repeated'),
        (b'{"a": NaN}', "NaN"),
        (b"\xff\xfe{\x00}\x00", "UTF-16"),
        (b'{"a": "\xff"}', "not UTF-8"),
        (b'{"a": "\\ud800"}', "surrogate"),
        (b'{"a": ' + b"[" * 300 + b"]" * 300 + b"}", "deeper than 200"),
    ],
)
def test_a_file_that_is_not_strict_json_is_refused(
    tmp_path: Path, data: bytes, message: str
) -> None:
    (tmp_path / "m.json").write_bytes(data)

    with pytest.raises(RefusedError, match=message) as caught:
        load_manifest(str(tmp_path / "m.json"))
    assert "m.json: " in str(caught.value)


def test_an_absent_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="there is no such file"):
        load_manifest(str(tmp_path / "m.json"))
    with pytest.raises(RefusedError, match="it is a folder"):
        load_manifest(str(tmp_path))


def test_a_byte_order_mark_and_windows_line_ends_change_nothing(tmp_path: Path) -> None:
    with open(packaged_manifest_path(), "rb") as stream:
        data = stream.read()
    path = tmp_path / "m.json"
    path.write_bytes(b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n"))

    assert load_manifest(str(path)).raw == json.loads(data)


def test_the_object_has_every_part_of_the_document(packaged: dict[str, Any]) -> None:
    manifest = parse_manifest(packaged, "m")

    for name in Manifest.__slots__:
        if name in packaged and name not in ("bundles", "hooks", "loop", "modules", "monitors"):
            assert getattr(manifest, name) == packaged[name]
    for key in ("modules", "hooks", "monitors"):
        entries = getattr(manifest, key)
        assert [
            {name: getattr(entry, name) for name in sorted(entry.__slots__)} for entry in entries
        ] == packaged[key]
    assert manifest.installer_path == packaged["installer"]["path"]
    assert list(manifest.bundles) == list(packaged["bundles"])
    assert {b.name: b.capabilities for b in manifest.bundles.values()} == {
        name: bundle["capabilities"] for name, bundle in packaged["bundles"].items()
    }
    assert [(m.from_state, m.event, m.to_state, m.gate) for m in manifest.loop.transitions] == [
        tuple(move.values()) for move in packaged["loop"]["transitions"]
    ]


def test_what_a_document_may_leave_out_has_a_value(packaged: dict[str, Any]) -> None:
    del packaged["invariants"]
    del packaged["modules"][0]["components"]
    del packaged["modules"][0]["area"]

    manifest = parse_manifest(packaged, "m")

    assert (manifest.invariants, manifest.modules[0].components) == ([], [])
    assert manifest.modules[0].area is None


def test_no_attribute_can_be_set_or_deleted(packaged: dict[str, Any]) -> None:
    manifest = parse_manifest(packaged, "m")

    for entry in (manifest, manifest.modules[0], manifest.loop, manifest.bundles["session-memory"]):
        with pytest.raises(AttributeError, match="read-only"):
            setattr(entry, entry.__slots__[0], "changed")
        with pytest.raises(AttributeError, match="read-only"):
            delattr(entry, entry.__slots__[0])
        with pytest.raises(AttributeError):
            entry.unknown = 1


def test_unknown_keys_are_ignored_and_kept(packaged: dict[str, Any]) -> None:
    changed = copy.deepcopy(packaged)
    changed["extra"] = {"a": None}
    changed["modules"][0]["extra"] = None
    changed["loop"]["extra"] = changed["monitors"][0]["extra"] = changed["hooks"][0]["extra"] = 1

    manifest = parse_manifest(changed, "m")

    assert manifest.raw["extra"] == {"a": None}


def test_the_first_fault_is_told_with_the_number_of_further_ones(packaged: dict[str, Any]) -> None:
    packaged["monitors"] = []
    packaged["hosts"] = 5
    with pytest.raises(RefusedError) as caught:
        parse_manifest(packaged, "m.json")
    assert str(caught.value) == (
        "m.json: hosts: expected a non-empty list of texts, got 5 (and 1 more)"
    )

    packaged["monitors"] = None
    packaged["hosts"] = ["claude-code", "codex"]
    with pytest.raises(RefusedError) as caught:
        parse_manifest(packaged, "m.json")
    assert str(caught.value) == "m.json: monitors: expected a non-empty list of objects, got null"


def test_loading_it_imports_nothing_heavy() -> None:
    program = (
        "import sys\n"
        "bare = set(sys.modules)\n"
        "from hpp.core.manifest import load_manifest, packaged_manifest_path\n"
        "load_manifest(packaged_manifest_path())\n"
        "print(*sorted(set(sys.modules) - bare))\n"
    )
    done = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, check=True)

    loaded = set(done.stdout.decode().split())
    assert "hpp.core.manifestrule" in loaded
    assert not loaded & HEAVY


def test_control_the_packaged_manifest_is_accepted() -> None:
    assert load_manifest(packaged_manifest_path()).protocol_version == "2.1"
