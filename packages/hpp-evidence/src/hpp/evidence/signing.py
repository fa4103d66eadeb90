"""Signatures over records, made and checked by the OpenSSH program of this machine.

No key is read here: `ssh-keygen` reads it, or asks an agent for it. What is signed are the
bytes that a record's own hash covers, so a signature and a hash speak of the same thing.
The format is SSHSIG (PROTOCOL.sshsig of OpenSSH), with the namespace ``hpp``.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
import struct
import subprocess
import tempfile

from hpp.core.canonical import sha256_hex
from hpp.core.errors import RefusedError
from hpp.core.secret import first_kind
from hpp.core.text import printable, shorten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

__all__ = ["NAMESPACE", "SCHEME", "Key", "Signer", "check_signature", "is_signer"]

NAMESPACE = "hpp"
SCHEME = "sshsig"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@+-]{0,127}")
_LIMIT_S = 60
_LONGEST_SIGNATURE = 64 * 1024
_TRIAL = b"hpp: does this key sign?\n"
_ARMOR = ("-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----")
_MAGIC = b"SSHSIG"
# All that is said when the signature is good and nobody's: a bad one is complained of first.
_UNLISTED = "Could not verify signature."


def is_signer(name: object) -> bool:
    """Say whether a value has the form of a signer's name."""
    return isinstance(name, str) and _NAME.fullmatch(name) is not None


class Key:
    """A key that somebody named, seen to sign.

    Args:
        path: Of a private key, or of a public one whose private half an agent holds.

    Raises:
        RefusedError: There is no such key, it does not sign, or there is no `ssh-keygen`.

    """

    def __init__(self, path: str) -> None:
        self._shown = f"--sign-key {shorten(path)}"
        if not path or not os.path.isfile(path):
            raise RefusedError(f"{self._shown}: there is no such file")
        self._path = os.path.abspath(path)
        if _program() is None:
            raise RefusedError(f"{self._shown}: signing needs ssh-keygen, which is not on PATH")
        self.armored(_TRIAL)

    def armored(self, data: bytes) -> str:
        """Return the armored signature of some bytes.

        Raises:
            RefusedError: The key does not sign.

        """
        with tempfile.TemporaryDirectory(prefix="hpp-sign-") as folder:
            path = os.path.join(folder, "bytes")
            with open(path, "wb") as stream:
                stream.write(data)
            fault = _call(["-Y", "sign", "-f", self._path, "-n", NAMESPACE, path])
            text = "" if fault else _read(f"{path}.sig")
        if fault or not text.startswith(_ARMOR[0]):
            reason = fault or "ssh-keygen wrote no signature"
            raise RefusedError(f"{self._shown}: it does not sign: {reason}")
        return text

    def signed(self, data: bytes) -> tuple[str, bytes]:
        """Return the fingerprint of the key, and the signature of some bytes as bytes.

        Raises:
            RefusedError: The key does not sign any more.

        """
        text = self.armored(data)
        body = text.partition(_ARMOR[0])[2].partition(_ARMOR[1])[0]
        blob = base64.b64decode(body)
        start = len(_MAGIC) + 4  # a version comes first, then the public key with its length
        (size,) = struct.unpack_from(">I", blob, start)
        digest = hashlib.sha256(blob[start + 4 : start + 4 + size]).digest()
        return "SHA256:" + base64.b64encode(digest).decode("ascii").rstrip("="), blob


class Signer:
    """A key, and the name it signs under.

    Args:
        key: Path of the key.
        name: The signer, as a file of allowed signers lists them.

    Raises:
        RefusedError: The name breaks its form or looks like a secret, or the key is none.

    """

    def __init__(self, key: str, name: str) -> None:
        if not is_signer(name):
            raise RefusedError(
                f"--signer {shorten(name)!r}: expected a letter or digit, then at most 127"
                " letters, digits or characters of ._:@+-"
            )
        kind = first_kind(name)
        if kind is not None:
            raise RefusedError(f"--signer: secret-like text ({kind}) would be recorded")
        self.name = name
        self.key = Key(key)

    @staticmethod
    def asked_for(key: str | None, name: str | None, *, otherwise: str = "") -> Signer | None:
        """Return the signer that two options name, proven to sign; None when they are absent.

        Args:
            key: Value of ``--sign-key``.
            name: Value of ``--signer``.
            otherwise: The name when only a key is given; an empty text demands a name.

        Raises:
            RefusedError: One is given without the other, or the key does not sign.

        """
        if key is None:
            if name is not None:
                raise RefusedError("--signer names who signs; it needs --sign-key")
            return None
        if name is None and not otherwise:
            raise RefusedError("--sign-key needs a --signer: the name that the signature is under")
        return Signer(key, otherwise if name is None else name)

    def signature(self, data: bytes) -> dict[str, Any]:
        """Return what a record holds of its signature.

        Raises:
            RefusedError: The key does not sign any more.

        """
        return {
            "scheme": SCHEME,
            "namespace": NAMESPACE,
            "signer": self.name,
            "sha256": sha256_hex(data),
            "signature": self.key.armored(data),
        }


def check_signature(record: Mapping[str, Any], data: bytes, allowed: str) -> dict[str, Any]:
    """Return what a report says of a record's signature, checked against allowed signers.

    Args:
        record: The record; only its ``signature`` is read.
        data: The bytes that the record's hash covers.
        allowed: Path of a file of allowed signers, as `ssh-keygen` reads it.

    """
    found = record.get("signature")
    if "signature" not in record:
        return {"status": "refused", "detail": "the record is not signed"}
    if not isinstance(found, dict):
        return {"status": "refused", "detail": "signature: expected an object"}
    name = found.get("signer")
    detail = _form_fault(found, data) or _key_fault(found, data, allowed)
    if detail is None:
        return {"status": "verified", "signer": name}
    shown = name if isinstance(name, str) else None
    return {"status": "refused", "signer": shown, "detail": detail}


def _form_fault(found: Mapping[str, Any], data: bytes) -> str | None:
    """Return what is wrong with a signature before anybody looks at its bytes."""
    text = found.get("signature")
    faults = {
        f"scheme: expected {SCHEME}": found.get("scheme") != SCHEME,
        f"namespace: expected {NAMESPACE}": found.get("namespace") != NAMESPACE,
        "signer: it is no signer's name": not is_signer(found.get("signer")),
        "sha256: the signature is over other bytes": found.get("sha256") != sha256_hex(data),
        "signature: expected an armored text": not isinstance(text, str)
        or not text.isascii()
        or len(text) > _LONGEST_SIGNATURE,
    }
    return next((fault for fault, is_there in faults.items() if is_there), None)


def _key_fault(found: Mapping[str, Any], data: bytes, allowed: str) -> str | None:
    """Return why `ssh-keygen` does not accept a signature, or None when it does."""
    if not os.path.isfile(allowed):
        return f"--allowed-signers {shorten(allowed)}: there is no such file"
    if _program() is None:
        return "checking needs ssh-keygen, which is not on PATH"
    with tempfile.TemporaryDirectory(prefix="hpp-verify-") as folder:
        path = os.path.join(folder, "bytes.sig")
        with open(path, "w", encoding="ascii", newline="\n") as stream:
            stream.write(found["signature"])
        words = ["-Y", "verify", "-f", os.path.abspath(allowed), "-I", found["signer"]]
        return _call([*words, "-n", NAMESPACE, "-s", path], data)


def _call(words: Sequence[str], data: bytes = b"") -> str | None:
    """Call `ssh-keygen` and return why it failed, or None.

    It is cut off from a terminal, where it would ask for a passphrase and wait.
    """
    program = _program()
    if program is None:
        return "ssh-keygen is not on PATH"
    environment = {**os.environ, "LC_ALL": "C", "SSH_ASKPASS_REQUIRE": "never"}
    try:
        done = subprocess.run(
            [program, *words],
            input=data,
            capture_output=True,
            timeout=_LIMIT_S,
            check=False,
            env=environment,
            start_new_session=True,
        )
    except subprocess.TimeoutExpired:
        return f"ssh-keygen did not answer in {_LIMIT_S} s"
    except (OSError, ValueError) as error:
        return f"ssh-keygen cannot be started: {getattr(error, 'strerror', None) or error}"
    return None if done.returncode == 0 else _reason(done.stderr or done.stdout, done.returncode)


def _reason(said: bytes, code: int) -> str:
    """Return the first line of a complaint, without the private folder we made."""
    text = said.decode("utf-8", "replace")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if lines[:1] == [_UNLISTED]:
        return "no key that is listed for the signer made it"
    first = re.sub(r"\S*hpp-(?:sign|verify)-\S*", "the bytes", lines[0]) if lines else ""
    return shorten(printable(first), 160) or f"ssh-keygen exited with {code}"


def _read(path: str) -> str:
    try:
        with open(path, encoding="ascii", newline="") as stream:
            return stream.read(_LONGEST_SIGNATURE).replace("\r\n", "\n")
    except (OSError, ValueError):
        return ""


def _program() -> str | None:
    """Return the path of `ssh-keygen`, from a folder of PATH that is spelled out.

    A relative one would find a program that the repository brought along.
    """
    names = ["ssh-keygen.exe"] if os.name == "nt" else ["ssh-keygen"]
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        for name in names:
            path = os.path.join(folder, name)
            if os.path.isabs(folder) and os.path.isfile(path) and os.access(path, os.X_OK):
                return path
    return None
