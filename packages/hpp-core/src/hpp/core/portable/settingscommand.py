"""``wire_settings.py``: plan, apply or undo the wiring of a specification."""

from __future__ import annotations

import copy
import os

from hpp.core.errors import RefusedError
from hpp.core.portable.report import ToolRefusedError, problem, report
from hpp.core.portable.settingsfile import SettingsFile
from hpp.core.portable.settingswiring import Wiring
from hpp.core.portable.toolscript import Tool
from hpp.core.portable.wiringspec import Item, read_spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hpp.core.arguments import Arguments, Values
    from hpp.core.portable.selftest import Checks

__all__ = ["TOOL", "main"]

SCHEMA = "hpp.wire-report/v1"
BLOCKED = 2
_ROOT_MARK = "${CLAUDE_PLUGIN_ROOT}"


def main(words: list[str]) -> int:
    """Answer one command line."""
    return TOOL.main(words)


def _declare(arguments: Arguments) -> None:
    arguments.option("--target", "FILE", required=True, help="the settings file")
    arguments.option("--spec", "FILE", required=True, help="what to wire: hpp.wiring-spec/v1")
    arguments.flag("--undo", help="take out what was wired, and nothing else")
    arguments.flag("--apply", help="write; without it the plan is shown and nothing is written")
    arguments.flag("--force", help="replace a status line of another owner, keeping a copy")
    arguments.option(
        "--scope", "SCOPE", choices=("project", "user"), default="project",
        help="whose settings they are",
    )  # fmt: skip


def _run(values: Values) -> dict[str, Any]:
    items, line = _specification(values.spec, values.scope)
    _check_scope(values.target, values.scope)
    file = SettingsFile(values.target, follow=values.scope == "user")
    record = copy.deepcopy(file.record)
    if not file.exists and not values.undo:
        record["created_file"] = True
    wiring = Wiring(values.target, file.text, file.document, record)
    if values.undo:
        wiring.undo(items, with_line=line is not None)
    else:
        wiring.wire(items, line, force=values.force)
    changes = wiring.text != file.text or (not file.exists and bool(wiring.document))
    backup = file.write(wiring) if values.apply else None
    return report(
        SCHEMA,
        wiring.problems,
        mode="apply" if values.apply else "plan",
        verb="undo" if values.undo else "wire",
        target=values.target,
        changes=changes,
        actions=wiring.actions,
        backup=backup,
    )


def _specification(path: str, scope: str) -> tuple[list[Item], dict[str, Any] | None]:
    from hpp.core.document import read_document

    try:
        document = read_document(path, root=dict)
    except RefusedError as error:
        raise _bad_spec(path, str(error)) from None
    items, line, faults = read_spec(document, scope=scope)
    if faults:
        raise _bad_spec(path, "; ".join(faults))
    return items, None if line is None else _placed(line, path)


def _placed(line: dict[str, Any], path: str) -> dict[str, Any]:
    """Return a status line with the module's folder, the one above the specification's, in it.

    The host knows the token in a plugin's own hooks alone; in settings a path has to be whole,
    and so an update of the plugin's folder shows in the plan.
    """
    if _ROOT_MARK not in line["command"]:
        return line
    root = os.path.dirname(os.path.dirname(os.path.abspath(path)))
    root = root.replace("\\", "/") if os.name == "nt" else root
    if set(root) & set('"$`\\!\n'):
        raise _bad_spec(
            path, "it lies in a folder whose name a shell would read as more than a name"
        )
    return {**line, "command": line["command"].replace(_ROOT_MARK, root)}


def _bad_spec(path: str, measured: str) -> ToolRefusedError:
    return ToolRefusedError(
        problem(
            "settings-invalid", path=path, measured=measured,
            expected="a specification of hpp.wiring-spec/v1", following="mend the specification",
        )
    )  # fmt: skip


def _check_scope(target: str, scope: str) -> None:
    home = os.path.realpath(os.path.join(os.path.expanduser("~"), ".claude"))
    folder = os.path.realpath(os.path.dirname(os.path.abspath(target)))
    is_users = os.path.normcase(folder) == os.path.normcase(home)
    if is_users and scope != "user":
        raise ToolRefusedError(
            problem(
                "unsafe-destination", path=target, measured="the settings of all projects",
                expected="the settings of one project, or --scope user",
                following="name the project's file, or say --scope user",
            )
        )  # fmt: skip


_SPEC: dict[str, Any] = {
    "schema": "hpp.wiring-spec/v1",
    "statusLine": {"command": "bash line.sh"},
    "hooks": {
        "PreToolUse": [
            {
                "id": "kit/scan",
                "matcher": "Edit|Write",
                "script": "kit/hooks/scan_it.py",
                "clamp": "observe",
                "timeout": 30,
            }
        ]
    },
}


def _self_test(checks: Checks, folder: str) -> None:
    from hpp.core.output import pretty_json

    spec, target = os.path.join(folder, "spec.json"), os.path.join(folder, "settings.json")
    _put(spec, pretty_json(_SPEC))
    original = b'{\n    "model": "m"\n}\n'
    _put(target, original)

    checks.check("a plan leaves the file", _code(target, spec) == 0 and _get(target) == original)
    checks.check("it is wired", _code(target, spec, "apply") == 0)
    wired = _get(target)
    checks.check("wiring twice gives equal bytes",
                _code(target, spec, "apply") == 0 and _get(target) == wired)  # fmt: skip
    edited = wired.replace(b'"model": "m"', b'"model": "other"')
    _put(target, edited)
    _code(target, spec, "undo", "apply")
    checks.check("an undo keeps a later edit",
                _get(target) == original.replace(b'"m"', b'"other"'))  # fmt: skip

    _code(target, spec, "apply")
    _put(target, _get(target).replace(b'"timeout": 30', b'"timeout": 31'))
    changed = _get(target)
    checks.check("an edited entry is refused",
                _code(target, spec, "undo", "apply") == BLOCKED
                and _get(target) == changed)  # fmt: skip

    foreign = os.path.join(folder, "foreign.json")
    _put(foreign, b'{"statusLine": {"type": "command", "command": "mine"}}')
    _code(foreign, spec, "apply")
    checks.check("a status line of another owner is left", b'"mine"' in _get(foreign))
    checks.check("a concurrent write is refused", _concurrent(os.path.join(folder, "late.json")))
    _put(target, b'{"a": 1, "a": 2}')
    checks.check("malformed settings are refused", _code(target, spec, "apply") == BLOCKED)
    _put(spec, b'{"schema": "hpp.wiring-spec/v1", "hooks": {"Stop": [{"id": "x"}]}}')
    checks.check("a malformed specification is refused", _code(foreign, spec) == BLOCKED)


def _code(target: str, spec: str, *flags: str) -> int:
    from hpp.core.arguments import Values

    names = dict.fromkeys(("undo", "apply", "force"), False)
    values = {"target": target, "spec": spec, "scope": "project", **names}
    code: int = TOOL.result(Values({**values, **dict.fromkeys(flags, True)}))["exit_code"]
    return code


def _concurrent(path: str) -> bool:
    _put(path, b"{}")
    items, line, _ = read_spec(_SPEC, scope="project")
    file = SettingsFile(path, follow=False)
    wiring = Wiring(path, file.text, file.document, file.record)
    wiring.wire(items, line, force=False)
    _put(path, b'{"late": true}')
    try:
        file.write(wiring)
    except ToolRefusedError as refusal:
        return refusal.problem["code"] == "wire-changed" and _get(path) == b'{"late": true}'
    return False


def _put(path: str, data: bytes) -> None:
    with open(path, "wb") as stream:
        stream.write(data)


def _get(path: str) -> bytes:
    with open(path, "rb") as stream:
        return stream.read()


TOOL = Tool(
    "wire_settings.py",
    "Wire hooks and a status line into a settings file, or take them out again.",
    schema=SCHEMA,
    declare=_declare,
    run=_run,
    self_test=_self_test,
)
