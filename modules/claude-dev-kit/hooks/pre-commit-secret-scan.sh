#!/bin/sh
# The payload of a git pre-commit hook: it stops a commit that holds secret-like text.
# install_git_hook.py chains it behind the hook that a repository has.
root=$(cd "$(dirname "$0")/.." && pwd) || exit 2
sh "$root/hooks/pyrun.sh" --strict "$root/scripts/secret_scan.py" --staged || {
  echo "pre-commit-secret-scan: the commit is stopped" >&2
  exit 2
}
