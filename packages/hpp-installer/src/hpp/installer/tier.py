"""How many colours an output shows; decided by a handful of variables and nothing else."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["NONE", "SIXTEEN", "TRUECOLOR", "TWO_FIFTY_SIX", "choose_tier", "switch_on_escapes"]

NONE, SIXTEEN, TWO_FIFTY_SIX, TRUECOLOR = "none", "16", "256", "truecolor"
_FORCED = {"0": NONE, "false": NONE, "no": NONE, "1": SIXTEEN, "2": TWO_FIFTY_SIX}
_STDOUT_HANDLE = -11
_VIRTUAL_TERMINAL = 0x0004


def choose_tier(
    environment: Mapping[str, str],
    *,
    is_terminal: bool,
    windows: bool,
    escapes: Callable[[], bool],
) -> str:
    """Return ``none``, ``16``, ``256`` or ``truecolor``; the first rule that holds decides.

    Args:
        environment: `NO_COLOR`, `FORCE_COLOR`, `TERM`, `COLORTERM` and `WT_SESSION` are read.
        is_terminal: Whether the output is one.
        windows: Whether this is Windows.
        escapes: Switches escapes on there, and says whether they are.

    """
    forced = environment.get("FORCE_COLOR")
    if environment.get("NO_COLOR"):
        return NONE
    if forced:
        return _FORCED.get(forced, TRUECOLOR)
    term = environment.get("TERM", "")
    if not is_terminal or term == "dumb":
        return NONE
    if environment.get("COLORTERM") in ("truecolor", "24bit"):
        return TRUECOLOR
    if windows:
        return _of_windows(environment, escapes)
    return TWO_FIFTY_SIX if "256color" in term else SIXTEEN


def _of_windows(environment: Mapping[str, str], escapes: Callable[[], bool]) -> str:
    if not escapes():
        return NONE
    return TRUECOLOR if environment.get("WT_SESSION") else TWO_FIFTY_SIX


def switch_on_escapes() -> bool:
    """Let a console of Windows obey escapes; say whether it does. Elsewhere there is no need."""
    try:
        from ctypes import byref, c_ulong, windll  # type: ignore[attr-defined]  # Windows only
    except ImportError:
        return True
    kernel = windll.kernel32
    handle, mode = kernel.GetStdHandle(_STDOUT_HANDLE), c_ulong()
    if not kernel.GetConsoleMode(handle, byref(mode)):
        return False
    return bool(kernel.SetConsoleMode(handle, mode.value | _VIRTUAL_TERMINAL))
