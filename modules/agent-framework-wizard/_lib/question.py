"""The questions of the wizard, their defaults, and what answers them."""

from __future__ import annotations

import re

from hpp.core.secret import first_kind
from hpp.core.text import shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["DOCUMENTS", "READER", "answer_faults", "interview", "questions", "resolve"]

DOCUMENTS = ("00-READ-FIRST", "00-STATE", "00-VISION", "00-PROCESSES")
HOSTS = ("claude-code", "codex")
READER, BUILDER = "reader", "builder"
SEED = "answers.example.json"
MOST_AGENTS = 24
MOST_CHECKS = 64
_LINE = r"[^\x00-\x1f\x7f]{1,200}"
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LONGEST_NAME = 40
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com[1-9]|lpt[1-9])")
_AGENT_KEYS = ("name", "role", "purpose")


def _question(name: str, prompt: str, kind: str, default: object, **more: object) -> dict[str, Any]:
    effect = {"seed": SEED, "key": name}
    return {
        "id": name,
        "prompt": prompt,
        "type": kind,
        "default": default,
        "effect": effect,
        **more,
    }


def questions() -> list[dict[str, Any]]:
    """Return the questions, in the order in which a person is asked."""
    return [
        _question("project_name", "What is the project called?", "string", "my-agent",
                  pattern="[a-z0-9][a-z0-9-]{0,62}"),
        _question("purpose", "What is it for, in one sentence?", "string",
                  "<FILL: what the project is for, and for whom>", pattern=_LINE),
        _question("approver", "Who approves a push, a merge, a deployment?", "string",
                  "<FILL: who approves>", pattern=_LINE),
        _question("hosts", "Which hosts will work in it?", "choice", list(HOSTS),
                  options=list(HOSTS), many=True),
        _question("lane_mode", "One session at a time, or several in lanes?", "choice", "solo",
                  options=["solo", "lanes"]),
        _question("documents", "Which base documents?", "choice", list(DOCUMENTS),
                  options=list(DOCUMENTS), many=True),
        _question("agents", "Which agents: name, role (reader or builder), purpose?", "list",
                  [{"name": "reviewer", "role": READER,
                    "purpose": "Say whether a change does what its acceptance asks."}]),
        _question("checks", "Which commands have to pass?", "list", ["git status --short"]),
    ]  # fmt: skip


def interview() -> dict[str, Any]:
    """Return the document that an agent reads to ask a person."""
    return {"schema": "hpp.questions/v1", "questions": questions()}


def resolve(given: dict[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the answers, and of each whether it was given or is the default."""
    asked = questions()
    answers = {each["id"]: given.get(each["id"], each["default"]) for each in asked}
    return answers, {name: "given" if name in given else "default" for name in answers}


def answer_faults(given: dict[str, Any]) -> list[tuple[str, str]]:
    """Return every fault of a document of answers as ``(place, what)``."""
    asked = {each["id"]: each for each in questions()}
    found = [(key, "an unknown answer; there are " + ", ".join(asked)) for key in given
             if key not in asked]  # fmt: skip
    for name, question in asked.items():
        if name in given:
            found += _faults(name, question, given[name])
    return found


def _faults(name: str, question: dict[str, Any], value: object) -> list[tuple[str, str]]:
    if question["type"] == "string":
        fault = _text_fault(value, question["pattern"])
        return [(name, fault)] if fault else []
    if question["type"] == "choice":
        fault = _choice_fault(question, value)
        return [(name, fault)] if fault else []
    if not isinstance(value, list):
        return [(name, "expected a list")]
    if name == "checks":
        if not 1 <= len(value) <= MOST_CHECKS:
            return [(name, f"expected 1 to {MOST_CHECKS} commands")]
        faults = [
            (f"{name}[{place}]", _text_fault(each, _LINE)) for place, each in enumerate(value)
        ]
        return [(where, fault) for where, fault in faults if fault]
    return _agent_faults(name, value)


def _text_fault(value: object, pattern: str) -> str:
    if not isinstance(value, str) or not value.strip():
        return "expected a non-blank text"
    if not re.fullmatch(pattern, value):
        return f"expected a text that matches {shorten(pattern)}"
    if "{{" in value or "}}" in value or "-->" in value or "\n" in value:
        return "it holds {{, }} or -->, which a template would read"
    if not value.isprintable():
        return "it holds a character that shows nothing"
    return "it looks like a secret" if first_kind(value) else ""


def _choice_fault(question: dict[str, Any], value: object) -> str:
    options = question["options"]
    if not question.get("many"):
        is_one = isinstance(value, str) and value in options
        return "" if is_one else "expected one of " + ", ".join(options)
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        return "expected a list of " + ", ".join(options)
    if any(each not in options for each in value) or len(set(value)) != len(value):
        return "expected each at most once, of " + ", ".join(options)
    return "" if value or question["id"] != "hosts" else "expected one host or more"


def _agent_faults(name: str, agents: list[object]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    if len(agents) > MOST_AGENTS:
        found.append((name, f"expected at most {MOST_AGENTS} agents"))
    names: set[str] = set()
    for place, agent in enumerate(agents):
        where = f"{name}[{place}]"
        if not isinstance(agent, dict) or set(agent) != set(_AGENT_KEYS):
            found.append((where, "expected an object of name, role and purpose"))
            continue
        found += [(f"{where}.{key}", fault) for key, fault in _one_agent(agent) if fault]
        if str(agent["name"]) in names:
            found.append((f"{where}.name", "it is repeated"))
        names.add(str(agent["name"]))
    return found


def _one_agent(agent: dict[str, Any]) -> list[tuple[str, str]]:
    name, role = agent["name"], agent["role"]
    is_name = isinstance(name, str) and len(name) <= _LONGEST_NAME and bool(_NAME.fullmatch(name))
    if not is_name or _DEVICES.fullmatch(name):
        name_fault = "expected lower-case words with hyphens, at most 40 characters, no device name"
    else:
        name_fault = ""
    role_fault = "" if role in (READER, BUILDER) else "expected reader or builder"
    return [("name", name_fault), ("role", role_fault),
            ("purpose", _text_fault(agent["purpose"], _LINE))]  # fmt: skip
