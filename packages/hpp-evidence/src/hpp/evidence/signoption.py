"""The options of signing, alike in every command that has them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hpp.core.arguments import Arguments

__all__ = ["declare_allowed_signers", "declare_signer"]


def declare_signer(declared: Arguments) -> None:
    """Declare ``--sign-key`` and ``--signer``."""
    declared.option("--sign-key", "FILE", help="key that ssh-keygen signs the record with")
    declared.option("--signer", "NAME", help="name that the signature is under")


def declare_allowed_signers(declared: Arguments) -> None:
    """Declare ``--allowed-signers``."""
    declared.option(
        "--allowed-signers", "FILE", help="demand a signature by a key of this list of ssh-keygen"
    )
