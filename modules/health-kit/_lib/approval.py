"""What a person allowed: a repository can name programs and hosts, a person lets them be used."""

from __future__ import annotations

from _lib.target import http_address, tcp_address

from hpp.core.canonical import canonical_bytes, sha256_hex
from hpp.core.portable.anchor import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from _lib.probe import Probe

__all__ = ["approval_of", "described", "is_approved"]


def approval_of(probes: Sequence[Probe]) -> str | None:
    """Return the digest that stands for all probes that need a yes; None without one.

    Any edit of what they do, an added or a removed one included, gives another digest.
    """
    needing = [probe.binding() for probe in probes if probe.needs_approval]
    return sha256_hex(canonical_bytes(needing)) if needing else None


def is_approved(probes: Sequence[Probe], root: str) -> bool | None:
    """Say whether a person allowed them; None where no git folder could hold the answer."""
    trust = read(root)
    if trust is None:
        return None
    digest = approval_of(probes)
    return any(
        isinstance(each, dict) and each.get("sha256") == digest for each in trust["health_probes"]
    )


def described(probe: Probe) -> str:
    """Return what a probe would do, in full, for a person to read."""
    if isinstance(probe.target, list):
        from json import dumps

        return f"{probe.name}: run {dumps(probe.target, ensure_ascii=False)}"
    address = tcp_address(probe.target) if probe.type == "tcp" else http_address(probe.target)
    host = "" if address is None else f", host {address.host} port {address.port}"
    verb = "connect to" if probe.type == "tcp" else "GET"
    headers = "".join(
        f", header {header} from ${variable}" for header, variable in probe.headers_env.items()
    )
    link = ", link-local allowed" if probe.allow_link_local else ""
    return f"{probe.name}: {verb} {probe.target}{host}{headers}{link}"
