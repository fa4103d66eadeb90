"""The lines about a declared decision advisor: how a person sets it up and measures it.

Declaring one changes nothing else: hpp never calls it, reads no key and stores none.
"""

from __future__ import annotations

from hpp.core.text import printable
from hpp.installer.shellword import IS_WINDOWS, path_word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.installer.place import Place

__all__ = ["advisor_block"]

EXAMPLES = "examples/typed-decisions"
_KEYS = {"typesafe": "TYPESAFE_API_KEY", "openrouter": "OPENROUTER_API_KEY"}
_ENDPOINTS = {"openrouter": "https://openrouter.ai/api/v1"}
_VARIABLE = "ADVISOR_ENDPOINT"
_ENDPOINT = "https://<endpoint>/v1"
_QUESTION = (
    '{"question": {"id": "change.risk", "kind": "choice", "options": ["low", "medium", "high"], '
    '"ladder": true, "instructions": "How much harm can this change do?", "criteria": null}, '
    '"state": "rename a private helper"}'
)


def advisor_block(advisor: str, place: Place, *, windows: bool = IS_WINDOWS) -> list[str]:
    """Return the lines, none for ``off``.

    Args:
        advisor: What was declared.
        place: Where the examples may lie.
        windows: Whether the lines are for PowerShell.

    """
    if advisor == "off":
        return []
    found = place.beside(f"{EXAMPLES}/decide.py")
    folder = "<examples>" if found is None else found.removesuffix("/decide.py")
    decider = f"{folder}/decide.py"
    options = ["--endpoint", _ENDPOINTS.get(advisor, _ENDPOINT), "--model", "<pinned model>"]
    if advisor in _KEYS:
        options += ["--key-env", _KEYS[advisor]]
    suite = path_word(f"{folder}/gotcha-family-suite.json")
    asked = _shell(" ".join(f'"{item}"' for item in options), advisor, windows=windows)
    array = _shell(_array([decider, *options]), advisor, windows=windows)
    lines = [
        f"# decision advisor {advisor}: declared only; hpp never calls it and stores no key",
        _variable(advisor, windows=windows),
        f"hpp decide eval {suite} --decider-command {_array([f'{folder}/baseline_decider.py'])}",
        f"hpp decide eval {suite} --timeout 60 --protocol jsonl --decider-command {array}",
        f"echo '{_QUESTION}' | python {path_word(decider)} {asked} > decision.json",
        "hpp decide validate decision.json",
        "# pin the version of the model: a moving name makes two measurements differ",
    ]
    if found is None:
        lines.append(
            f"# <examples>: the folder {EXAMPLES} of a checkout, or hpp/decide/{EXAMPLES} where "
            "hpp-decide is installed"
        )
    return lines


def _variable(advisor: str, *, windows: bool) -> str:
    """Return the line that sets the key, or the endpoint of one that has no name of its own."""
    key = _KEYS.get(advisor)
    name, value = (_VARIABLE, _ENDPOINT) if key is None else (key, "<key>")
    return f'$env:{name} = "{value}"' if windows else f'export {name}="{value}"'


def _shell(words: str, advisor: str, *, windows: bool) -> str:
    """Put the endpoint's variable in its place, where a shell joins quoted pieces."""
    if advisor in _KEYS or windows:
        return words
    joined = f"'\"${_VARIABLE}\"'" if words.startswith("'") else f"${_VARIABLE}"
    return words.replace(_ENDPOINT, joined)


def _array(words: list[str]) -> str:
    from json import dumps

    return f"'{printable(dumps(['python', *words], ensure_ascii=False))}'"
