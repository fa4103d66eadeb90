#!/bin/bash
# A staged secret stops a commit; without it the commit goes through.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
python=$(command -v python3 || command -v python) || { echo "no python3 on PATH" >&2; exit 3; }
work=$(mktemp -d "${TMPDIR:-/tmp}/hpp-eval.XXXXXX")
trap 'rm -rf "$work"' EXIT
unset HPP_SECRET_SCAN_EXEMPT || true

say() { printf '%s\n' "$*"; }
fail() { say "FAIL $*"; exit 1; }
commit() { git -C "$work" -c user.name=e -c user.email=e@example.invalid commit -q -m more; }

git -C "$work" init -q
"$python" "$here/scripts/install_git_hook.py" --repo "$work" --hook-name pre-commit \
  --payload "$here/hooks/pre-commit-secret-scan.sh" --apply >/dev/null
# In two parts, so that this file is no finding itself.
fixture="ghp_$(printf 'a1B2%.0s' 1 2 3 4 5 6 7 8 9)"
printf 'key = "%s"\n' "$fixture" >"$work/settings.py"
git -C "$work" add settings.py
if commit >"$work/.git/said" 2>&1; then fail "the commit went through"; fi
if grep -q "$fixture" "$work/.git/said"; then fail "the value was shown"; fi
grep -q 'settings.py:1' "$work/.git/said" || fail "the place was not told"
say "ok a staged secret stops the commit, and is not shown"
printf 'key = os.environ["KEY"]\n' >"$work/settings.py"
git -C "$work" add settings.py
commit || fail "a clean commit was stopped"
say "ok without it the commit goes through"
