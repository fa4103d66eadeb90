"""Completion scripts, one function a shell.

Each script holds the whole tree and starts no program while a person types. A command's
words are followed as long as they name a command; the value of an option without choices,
and whatever is no option, is left to the shell's completion of paths.
"""

from __future__ import annotations

from hpp.cli.completiontree import PROGRAMS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hpp.cli.completiontree import Node

__all__ = ["script"]


def script(shell: str, nodes: Sequence[Node]) -> str:
    """Return the script of a shell: bash, zsh, fish or powershell."""
    makers: dict[str, Callable[[Sequence[Node]], str]] = {
        "bash": _bash,
        "zsh": _zsh,
        "fish": _fish,
        "powershell": _powershell,
    }
    return makers[shell](nodes)


def _single(text: str) -> str:
    """Quote a text for bash and zsh."""
    return "'" + text.replace("'", "'\\''") + "'"


def _cases(rows: Sequence[tuple[str, str]], action: str) -> str:
    """Return the branches of a ``case``, one a key."""
    return "".join(f"        {_single(key)}) {action % value} ;;\n" for key, value in rows)


def _paths(nodes: Sequence[Node]) -> str:
    return "|".join(_single(node.path) for node in nodes if node.path)


# The loop of bash and zsh that finds which command the words before the cursor name.
_WALK = """\
    while [ "$hpp_at" -lt "$hpp_last" ]; do
        hpp_next="${hpp_path:+$hpp_path }%(word)s"
        case "$hpp_next" in
        %(paths)s) hpp_path=$hpp_next ;;
        *) break ;;
        esac
        hpp_at=$((hpp_at + 1))
    done
    while [ "$hpp_at" -lt "$hpp_last" ]; do
        [ "%(word)s" = -- ] && %(leave)s
        hpp_at=$((hpp_at + 1))
    done
"""

_BASH = """\
# Completion of hpp for bash. Put into ~/.bashrc: eval "$(hpp completion bash)"
_hpp() {
    local hpp_path='' hpp_next='' hpp_at=1 hpp_last=$COMP_CWORD hpp_words=''
    local hpp_word=${COMP_WORDS[COMP_CWORD]} hpp_before=${COMP_WORDS[COMP_CWORD-1]}
    COMPREPLY=()
%(walk)s
    case "$hpp_path $hpp_before" in
%(choices)s%(valued)s    *)
        case "$hpp_word" in
        -*)
            case "$hpp_path" in
%(options)s            esac
            ;;
        *)
            case "$hpp_path" in
%(subcommands)s            esac
            ;;
        esac
        ;;
    esac
    COMPREPLY=($(compgen -W "$hpp_words" -- "$hpp_word"))
}
complete -o default -F _hpp %(programs)s
"""


def _names(pairs: Sequence[tuple[str, str]]) -> str:
    return " ".join(name for name, _ in pairs)


def _bash(nodes: Sequence[Node]) -> str:
    walk = {"word": "${COMP_WORDS[hpp_at]}", "paths": _paths(nodes), "leave": "return"}
    grouped = [node for node in nodes if node.subcommands]
    return _BASH % {
        "walk": (_WALK % walk).rstrip("\n"),
        "choices": _cases(_choices(nodes), "hpp_words='%s'"),
        "valued": _cases([(key, "") for key in _valued(nodes)], "return%s"),
        "options": _cases([(n.path, _names(n.options)) for n in nodes], "hpp_words='%s'"),
        "subcommands": _cases([(n.path, _names(n.subcommands)) for n in grouped], "hpp_words='%s'"),
        "programs": " ".join(PROGRAMS),
    }


def _choices(nodes: Sequence[Node]) -> list[tuple[str, str]]:
    """Return the choices of each option that has some, keyed by path and option."""
    return [
        (f"{node.path} {option}", " ".join(words))
        for node in nodes
        for option, words in node.choices.items()
    ]


def _valued(nodes: Sequence[Node]) -> list[str]:
    """Return path and option of each option whose value is free."""
    return [
        f"{node.path} {option}"
        for node in nodes
        for option in node.valued
        if option not in node.choices
    ]


_ZSH = """\
#compdef %(programs)s
# Completion of hpp for zsh. Put into ~/.zshrc after compinit: eval "$(hpp completion zsh)"
_hpp() {
    local hpp_path='' hpp_next='' hpp_at=2 hpp_last=$CURRENT
    local hpp_word=$words[CURRENT] hpp_before=$words[CURRENT-1]
    local -a hpp_words
%(walk)s
    case "$hpp_path $hpp_before" in
%(choices)s%(valued)s    esac
    case "$hpp_word" in
    -*)
        case "$hpp_path" in
%(options)s        esac
        _describe -o option hpp_words
        ;;
    *)
        case "$hpp_path" in
%(subcommands)s        *) _files; return ;;
        esac
        _describe command hpp_words
        ;;
    esac
}
if [ "${funcstack[1]}" = _hpp ]; then
    _hpp "$@"
else
    compdef _hpp %(programs)s
fi
"""


def _described(pairs: Sequence[tuple[str, str]]) -> str:
    return " ".join(_single(f"{name}:{text}") for name, text in pairs)


def _zsh(nodes: Sequence[Node]) -> str:
    walk = {"word": "$words[hpp_at]", "paths": _paths(nodes), "leave": "{ _files; return }"}
    grouped = [node for node in nodes if node.subcommands]
    return _ZSH % {
        "walk": (_WALK % walk).rstrip("\n"),
        "choices": _cases(_choices(nodes), "compadd -- %s; return"),
        "valued": _cases([(key, "") for key in _valued(nodes)], "_files; return%s"),
        "options": _cases([(n.path, _described(n.options)) for n in nodes], "hpp_words=(%s)"),
        "subcommands": _cases(
            [(n.path, _described(n.subcommands)) for n in grouped], "hpp_words=(%s)"
        ),
        "programs": " ".join(PROGRAMS),
    }


_FISH = """\
# Completion of hpp for fish. Put into ~/.config/fish/config.fish: hpp completion fish | source
function __hpp_path
    set -l hpp_known %(known)s
    set -l hpp_path
    for hpp_word in (commandline -opc)[2..-1]
        set -l hpp_next (string join ' ' -- $hpp_path $hpp_word)
        contains -- $hpp_next $hpp_known
        or break
        set hpp_path $hpp_path $hpp_word
    end
    string join ' ' -- $hpp_path
end
function __hpp_is
    contains -- -- (commandline -opc)
    and return 1
    set -l hpp_path (__hpp_path)
    test "$hpp_path" = "$argv[1]"
end
"""


def _fishy(text: str) -> str:
    """Quote a text for fish."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _fish(nodes: Sequence[Node]) -> str:
    lines = [_FISH % {"known": " ".join(_fishy(node.path) for node in nodes if node.path)}]
    for program in PROGRAMS:
        for node in nodes:
            condition = _fishy(f"__hpp_is {_fishy(node.path)}")
            head = f"complete -c {program} -n {condition}"
            for name, text in node.subcommands:
                lines.append(f"{head} -f -a {name} -d {_fishy(text)}\n")
            for name, text in node.options:
                lines.append(f"{head} {_fish_option(node, name)} -d {_fishy(text)}\n")
    return "".join(lines)


def _fish_option(node: Node, name: str) -> str:
    kind = "-l" if name.startswith("--") else "-s" if len(name) == len("-k") else "-o"
    shown = f"{kind} {name.lstrip('-')}"
    if name in node.choices:
        return f"{shown} -x -a {_fishy(' '.join(node.choices[name]))}"
    return f"{shown} -r" if name in node.valued else shown


_POWERSHELL = """\
# Completion of hpp for PowerShell. Put into $PROFILE:
# hpp completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName %(programs)s -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $subcommands = @{
%(subcommands)s    }
    $options = @{
%(options)s    }
    $choices = @{
%(choices)s    }
    $valued = @(
%(valued)s    )
    $typed = @($commandAst.CommandElements |
        Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
        ForEach-Object { $_.ToString() })
    if ($typed -ccontains '--') { return }
    $path = ''
    foreach ($word in $typed) {
        $next = "$path $word".Trim()
        if (-not $options.ContainsKey($next)) { break }
        $path = $next
    }
    $before = if ($typed.Count) { $typed[-1] } else { '' }
    $key = "$path $before"
    if ($valued -ccontains $key) { return }
    if ($choices.ContainsKey($key)) { $offered = $choices[$key] }
    elseif ($wordToComplete.StartsWith('-')) { $offered = $options[$path] }
    elseif ($subcommands.ContainsKey($path)) { $offered = $subcommands[$path] }
    else { return }
    foreach ($name in $offered.Keys) {
        if ($name.StartsWith($wordToComplete, [StringComparison]::Ordinal)) {
            [System.Management.Automation.CompletionResult]::new(
                $name, $name, 'ParameterValue', $offered[$name])
        }
    }
}
"""


# What PowerShell takes for a single quote: the straight one and four curly ones.
_QUOTES = "'\u2018\u2019\u201a\u201b"


def _quoted(text: str) -> str:
    """Quote a text for PowerShell."""
    return "'" + "".join(each * 2 if each in _QUOTES else each for each in text) + "'"


def _ordered(key: str, pairs: Sequence[tuple[str, str]]) -> str:
    inner = "; ".join(f"{_quoted(name)} = {_quoted(text)}" for name, text in pairs)
    return f"        {_quoted(key)} = [ordered]@{{ {inner} }}\n"


def _powershell(nodes: Sequence[Node]) -> str:
    grouped = [node for node in nodes if node.subcommands]
    choices = [(key, [(word, word) for word in words.split()]) for key, words in _choices(nodes)]
    return _POWERSHELL % {
        "programs": ", ".join(PROGRAMS),
        "subcommands": "".join(_ordered(node.path, node.subcommands) for node in grouped),
        "options": "".join(_ordered(node.path, node.options) for node in nodes),
        "choices": "".join(_ordered(key, pairs) for key, pairs in choices),
        "valued": "".join(f"        {_quoted(key)}\n" for key in _valued(nodes)),
    }
