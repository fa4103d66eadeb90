"""What one family offers another: found by its name, never imported sideways.

A distribution offers a function under the entry-point group ``hpp.services``. A service
of ours is taken from the distribution that owns it and from no other, so that a stranger's
package cannot answer for it.
"""

from __future__ import annotations

from hpp.core.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.metadata import EntryPoint
    from typing import Any

__all__ = ["GROUP", "OWNERS", "find_service", "install_line"]

GROUP = "hpp.services"

# Name of a service, the distribution that offers it, what it is called with and returns:
#   attestation-judgement  (path, repo, allowed_signers) -> a report of what it is worth now
#   evidence-judgement     (path, root, allowed_signers, *, demand_signature) -> the same
#   benchmark         (k, *, quiet) -> the judged controls, and those that no family offers
#   citation-context  (path) -> an object with ids and sha256; of a citation context
#   deliberation      (path) -> the record of a sealed session that is intact now
#   evidence-record   (path, root) -> the evidence record, valid now against that folder
# Each raises RefusedError for what it does not vouch for.
OWNERS = {
    "attestation-judgement": "hpp-evidence",
    "benchmark": "hpp-cli",
    "citation-context": "hpp-retrieval",
    "deliberation": "hpp-decide",
    "evidence-judgement": "hpp-evidence",
    "evidence-record": "hpp-evidence",
}


def find_service(name: str, wanted_by: str) -> Callable[..., Any]:
    """Return the function that another family offers under a name of `OWNERS`.

    Args:
        name: The service.
        wanted_by: What needs it, for the message, e.g. an option.

    Raises:
        UsageError: Its family is not installed; the message says how to install it.

    """
    from importlib.metadata import entry_points

    owner = OWNERS[name]
    for point in entry_points(group=GROUP, name=name):
        if _distribution(point) == owner:
            found: Callable[..., Any] = point.load()
            return found
    raise UsageError(
        f"{wanted_by} needs {owner}, which is not installed; install it with: "
        f"{install_line(owner)} (PATH: where `nox -s forge` wrote its tree)"
    )


def install_line(distribution: str) -> str:
    """Return the one line that installs a distribution and can reach nobody else's.

    The index of the distribution tree has a page for every name of ours, also for one
    that is not built yet; the first index that knows a name is the only one asked for it.
    """
    return f"uv pip install --index file:///PATH/forge/simple {distribution}"


def _distribution(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else ""
