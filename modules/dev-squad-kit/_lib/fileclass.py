"""What a file of a tree is, told by its name and by its first bytes."""

from __future__ import annotations

import re

__all__ = ["CLASSES", "HEAD", "class_of", "extension_of", "is_binary", "is_entry", "is_generated",
           "is_manifest", "is_vendored"]  # fmt: skip

CLASSES = ("code", "test", "docs", "config", "data", "build", "vendored", "other")
HEAD = 8000

_CODE = (
    "astro bash c cc clj cljs cpp cs css cxx dart erl ex exs f90 fs go h hh hpp hrl hs html java "
    "jl js jsx kt kts less lua m ml mli mm nim php pl pm ps1 py pyi pyx r rb rs sass scala scss sh "
    "sol sql svelte swift ts tsx v vb vue zig zsh mjs cjs mts cts"
)
_DOCS = "adoc asciidoc htm md mdx org pdf rst tex txt"
_CONFIG = "cfg conf editorconfig env ini properties toml yaml yml json jsonc json5 xml plist"
_DATA = (
    "arrow avro bin bmp bz2 csv db dat eot feather gif gz h5 ico jpeg jpg jsonl mp3 mp4 npy npz "
    "onnx otf parquet pkl png sqlite sqlite3 svg tar tgz tsv ttf wasm wav webp woff woff2 xlsx "
    "xz zip"
)
_BY_EXTENSION = {
    extension: name
    for name, listed in (("code", _CODE), ("docs", _DOCS), ("config", _CONFIG), ("data", _DATA))
    for extension in listed.split()
}
_BUILD = re.compile(
    r"(?:^|/)(?:makefile|gnumakefile|justfile|rakefile|jenkinsfile|procfile|dockerfile(?:\..*)?"
    r"|cmakelists\.txt|build\.gradle(?:\.kts)?|noxfile\.py|tox\.ini|taskfile\.ya?ml"
    r"|docker-compose\.ya?ml|\.gitlab-ci\.yml)$|(?:^|/)(?:\.github/workflows|\.circleci)/"
    r"|\.(?:mk|cmake|bazel|bzl|tf)$"
)
_VENDORED = re.compile(
    r"(?:^|/)(?:_?vendor(?:ed)?|third[_-]?party|node_modules|bower_components|site-packages|pods)/"
)
_TEST = re.compile(
    r"(?:^|/)(?:tests?|specs?|__tests__|testdata|fixtures)/|(?:^|/)test_[^/]*\.\w+$"
    r"|[._](?:test|spec)\.\w+$|_test\.\w+$"
)
_MANIFEST = re.compile(
    r"(?:^|/)(?:pyproject\.toml|setup\.(?:py|cfg)|requirements[\w.-]*\.txt|package\.json|cargo\.toml"
    r"|go\.mod|pom\.xml|build\.gradle(?:\.kts)?|gemfile|composer\.json|mix\.exs|pubspec\.yaml"
    r"|package\.swift|[^/]+\.csproj|[^/]+\.gemspec|deno\.jsonc?|plugin\.json)$"
)
_ENTRY = re.compile(
    r"(?:^|/)(?:__main__\.py|main\.\w+|manage\.py|app\.\w+|wsgi\.py|asgi\.py|cli\.\w+|index\.\w+"
    r"|server\.\w+|lib\.rs|program\.cs|makefile|dockerfile)$|(?:^|/)(?:bin|cmd)/[^/]+$"
)
_GENERATED = re.compile(
    r"(?:^|/)(?:package-lock\.json|yarn\.lock|pnpm-lock\.yaml|cargo\.lock|poetry\.lock|uv\.lock"
    r"|gemfile\.lock|composer\.lock|go\.sum)$|\.min\.(?:js|css)$|\.(?:map|snap)$|_pb2(?:_grpc)?\.pyi?$"
    r"|\.pb\.\w+$|\.g\.dart$|\.generated\.\w+$|(?:^|/)(?:generated|__generated__)/"
)
_SAYS_SO = re.compile(rb"@generated\b|\bDO NOT EDIT\b|\bauto-?generated\b", re.IGNORECASE)
_SAID_EARLY = 512


def class_of(path: str) -> str:
    """Return the one class of a path, out of `CLASSES`."""
    low = path.lower()
    if is_vendored(low):
        return "vendored"
    if _BUILD.search(low):
        return "build"
    if _TEST.search(low):
        return "test"
    if _MANIFEST.search(low):
        return "config"
    return _BY_EXTENSION.get(extension_of(low).removeprefix("."), _unnamed(low))


def _unnamed(low: str) -> str:
    name = low.rsplit("/", 1)[-1]
    if name.startswith((".", "rc")) and "." not in name[1:]:
        return "config"
    return "docs" if name in ("readme", "license", "licence", "notice", "changelog") else "other"


def extension_of(path: str) -> str:
    """Return the ending of a path's last component, in lower case, or an empty text."""
    name = path.rsplit("/", 1)[-1].lower()
    stem, dot, ending = name.rpartition(".")
    return dot + ending if stem and ending else ""


def is_binary(head: bytes) -> bool:
    """Say whether the first bytes of a file are no text."""
    return b"\0" in head


def is_vendored(path: str) -> bool:
    """Say whether a path lies in a folder for what others wrote."""
    return _VENDORED.search(path.lower()) is not None


def is_generated(path: str, head: bytes) -> bool:
    """Say whether a file looks as if a program wrote it, by its name or its first lines."""
    if _GENERATED.search(path.lower()):
        return True
    return not is_binary(head) and _SAYS_SO.search(head[:_SAID_EARLY]) is not None


def is_manifest(path: str) -> bool:
    """Say whether a file declares a package and what it needs."""
    return _MANIFEST.search(path.lower()) is not None


def is_entry(path: str) -> bool:
    """Say whether a program usually begins in a file of this name."""
    return _ENTRY.search(path.lower()) is not None
