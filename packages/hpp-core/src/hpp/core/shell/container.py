"""Commands that run a command in a container or in an environment of a project."""

from __future__ import annotations

from hpp.core.shell.call import HERE, NOTHING, Call
from hpp.core.shell.option import skip_options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Handler = Callable[[Call, int, int], int]

__all__ = ["HANDLERS"]

_GLOBAL = frozenset({"config", "context", "host", "log-level", "tlscacert", "tlscert", "tlskey",
                     "root", "runroot", "url", "connection", "identity", "namespace"})  # fmt: skip
_COMPOSE = frozenset({"file", "project-name", "profile", "env-file", "project-directory", "ansi",
                      "parallel", "progress"})  # fmt: skip
_INNER = frozenset(
    # Options of `docker run` and `exec` with a value, and of `podman`.
    "add-host annotation attach blkio-weight cap-add cap-drop cgroup-parent cgroupns cidfile "  # noqa: SIM905 -- a table of names
    "cpu-period cpu-quota cpu-rt-period cpu-rt-runtime cpu-shares cpus cpuset-cpus cpuset-mems "
    "detach-keys device device-cgroup-rule device-read-bps device-read-iops device-write-bps "
    "device-write-iops dns dns-option dns-search domainname entrypoint env env-file expose gpus "
    "group-add health-cmd health-interval health-retries health-start-period health-timeout "
    "hostname index ip ip6 ipc isolation kernel-memory label label-file link link-local-ip "
    "log-driver log-opt mac-address memory memory-reservation memory-swap memory-swappiness mount "
    "name net net-alias network network-alias oom-score-adj pid pids-limit platform pod publish "
    "pull restart runtime secret security-opt shm-size stop-signal stop-timeout storage-opt "
    "sysctl tmpfs ulimit user userns uts volume volume-driver volumes-from workdir arch authfile "
    "requires timeout tz umask".split()
)
_INNER_SHORT = "acehlmpuvw"


def _docker(call: Call, at: int, end: int) -> int:
    """``docker exec [options] NAME COMMAND``, ``docker run [options] IMAGE COMMAND``."""
    words = call.words
    at = skip_options(words, at, end, "cHl", _GLOBAL, abbreviates=False)
    if at < end and words[at] == "compose":
        return _compose(call, at + 1, end)
    if at < end and words[at] == "container":
        at += 1
    return _run(call, at, end)


def _compose(call: Call, at: int, end: int) -> int:
    return _run(call, skip_options(call.words, at, end, "fp", _COMPOSE, abbreviates=False), end)


def _run(call: Call, at: int, end: int) -> int:
    words = call.words
    if at >= end or words[at] not in ("exec", "run", "create"):
        return HERE
    start = at + 1
    at = skip_options(words, start, end, _INNER_SHORT, _INNER, abbreviates=False)
    entry = _entry_point(call, start, at)
    if entry:
        call.inner = [*entry, *words[at + 1 : end]]
        return NOTHING
    return call.operand(at)


def _entry_point(call: Call, at: int, end: int) -> list[str]:
    for place in range(at, end):
        word = call.words[place]
        if word == "--entrypoint" and place + 1 < end:
            return call.words[place + 1].split()
        if word.startswith("--entrypoint="):
            return word.partition("=")[2].split()
    return []


_KUBECTL = frozenset(
    "as as-group as-uid cache-dir certificate-authority client-certificate client-key cluster "  # noqa: SIM905 -- a table of names
    "context kubeconfig namespace password profile request-timeout server tls-server-name token "
    "user username container filename pod-running-timeout image env labels limits overrides port "
    "requests restart image-pull-policy target field-manager output".split()
)


def _kubectl(call: Call, at: int, end: int) -> int:
    """``kubectl exec POD -- COMMAND``; the two dashes may be missing."""
    words = call.words
    at = skip_options(words, at, end, "nsv", _KUBECTL, abbreviates=False)
    if at >= end or words[at] not in ("exec", "run", "debug", "rsh"):
        return HERE
    place = call.two_dashes(at)
    if place < end:
        return place + 1 if place + 1 < end else NOTHING
    at = skip_options(words, at + 1, end, "ncflo", _KUBECTL, abbreviates=False) + 1
    at = skip_options(words, at, end, "ncflo", _KUBECTL, abbreviates=False)
    return at if at < end else NOTHING


def _lxc(call: Call, at: int, end: int) -> int:
    words = call.words
    if at >= end or words[at] != "exec":
        return HERE
    at = skip_options(words, at + 1, end, "n", ("cwd", "env", "group", "user", "mode")) + 1
    at = skip_options(words, at, end, "n", ("cwd", "env", "group", "user", "mode"))
    return at if at < end else NOTHING


# Runners of a project's environment: the word that makes them run a command, and their
# options with a value.
_RUNNERS = {
    "uv": (("run",), "p", ("with", "python", "extra", "group", "directory", "project", "env-file",
                           "with-requirements", "with-editable", "index-url", "package")),
    "poetry": (("run",), "CP", ("directory", "project")),
    "pipenv": (("run",), "", ("python",)),
    "pdm": (("run",), "p", ("project",)),
    "rye": (("run",), "", ("pyproject",)),
    "conda": (("run",), "np", ("name", "prefix", "cwd")),
    "mamba": (("run",), "np", ("name", "prefix", "cwd")),
    "bundle": (("exec",), "", ("gemfile",)),
    "mise": (("exec", "x"), "C", ("cd", "env", "jobs")),
    "npm": (("exec", "x"), "w", ("package", "workspace", "prefix")),
    "pnpm": (("exec",), "CF", ("dir", "filter")),
    "yarn": (("exec",), "", ("cwd",)),
    "pyenv": (("exec",), "", ()),
    "rbenv": (("exec",), "", ()),
}  # fmt: skip


def _runner(name: str) -> Handler:
    verbs, short, long = _RUNNERS[name]

    def skip(call: Call, at: int, end: int) -> int:
        words = call.words
        at = skip_options(words, at, end, short, long, abbreviates=False)
        if at >= end or words[at] not in verbs:
            return HERE
        at = skip_options(words, at + 1, end, short, long, abbreviates=False)
        return at if at < end else HERE

    return skip


HANDLERS: dict[str, Handler] = {
    "docker": _docker,
    "podman": _docker,
    "nerdctl": _docker,
    "docker-compose": _compose,
    "podman-compose": _compose,
    "kubectl": _kubectl,
    "oc": _kubectl,
    "lxc": _lxc,
    "incus": _lxc,
    "multipass": _lxc,
    **{name: _runner(name) for name in _RUNNERS},
}
