#!/bin/sh
# The payload of a git pre-commit hook: it stops a commit that holds secret-like text.
# install_git_hook.py chains it behind the hook that a repository has.
root=$(cd "$(dirname "$0")/.." && pwd) || exit 2
for python in python3 python; do
  if command -v "$python" >/dev/null 2>&1; then
    "$python" -E -s "$root/scripts/secret_scan.py" --staged
    status=$?
    [ "$status" -eq 0 ] || exit 2
    exit 0
  fi
done
echo "pre-commit-secret-scan: no python3 on PATH, so nothing was scanned; the commit is stopped" >&2
exit 2
