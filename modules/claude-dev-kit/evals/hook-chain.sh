#!/bin/bash
# A commit hook of somebody else survives, runs first and comes back; standard input reaches both.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
python=$(command -v python3 || command -v python) || { echo "no python3 on PATH" >&2; exit 3; }
work=$(mktemp -d "${TMPDIR:-/tmp}/hpp-eval.XXXXXX")
trap 'rm -rf "$work"' EXIT
HPP_EVAL_TRACE="$work/trace"
export HPP_EVAL_TRACE

say() { printf '%s\n' "$*"; }
fail() { say "FAIL $*"; exit 1; }
tell='printf "%s:" "$(basename "$0")" >>"$HPP_EVAL_TRACE"; cat >>"$HPP_EVAL_TRACE"'
chain() { "$python" "$here/scripts/install_git_hook.py" --repo "$work/repo" --hook-name pre-push "$@" >/dev/null; }

mkdir "$work/repo"
git -C "$work/repo" init -q
git -C "$work/repo" -c user.name=e -c user.email=e@example.invalid commit -q --allow-empty -m first
hook="$work/repo/.git/hooks/pre-push"
mkdir -p "$(dirname "$hook")"
printf '#!/bin/sh\n%s\n' "$tell" >"$hook"
printf '#!/bin/sh\n%s\n' "$tell" >"$work/payload.sh"
chmod +x "$hook" "$work/payload.sh"
cp "$hook" "$work/theirs"

chain --payload "$work/payload.sh"
cmp -s "$hook" "$work/theirs" || fail "a plan changed the hook"
say "ok a plan writes nothing"
chain --payload "$work/payload.sh" --apply
printf 'refs\n' | "$hook" origin
[ "$(cat "$work/trace")" = "$(printf 'pre-push.hpp-before:refs\npayload.sh:refs')" ] || fail "the order, or the input"
say "ok theirs runs first, and both read the whole input"
chain --undo --apply
cmp -s "$hook" "$work/theirs" || fail "the undo did not put the hook back"
say "ok the undo puts back the bytes"
