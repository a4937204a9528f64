"""A certificate made here, for a page that other computers of the home open: browsers give no microphone to a page without TLS."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable
from datetime import datetime, timedelta, timezone
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from sayso.errors import SaysoError

DAYS = 825  # the longest that browsers accept
RENEWED = 30  # days before its end


def own_certificate(file: Path, names: Iterable[str]) -> Path:
    """The file with certificate and key, made or renewed if it is needed. Only this user can read it.

    Args:
        file: PEM, in a folder that is made if it is missing.
        names: further names and addresses under which this computer is known.

    Raises:
        SaysoError: it cannot be written.
    """
    known = sorted({socket.gethostname(), "localhost", "127.0.0.1", *names})
    if _fits(file, known):
        return file
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as written:
            written.write(_made(known))
    except OSError as error:
        raise SaysoError(f"{file} cannot be written: {error.strerror}") from None
    return file


def _made(names: list[str]) -> bytes:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(timezone.utc)
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Sayso")])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=DAYS))
        .add_extension(x509.SubjectAlternativeName([_named(name) for name in names]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return certificate.public_bytes(serialization.Encoding.PEM) + private


def _named(name: str) -> Any:
    from cryptography import x509

    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _fits(file: Path, names: list[str]) -> bool:
    """Whether there is one that is valid for long enough and has these names."""
    from cryptography import x509

    try:
        certificate = x509.load_pem_x509_certificate(file.read_bytes())
        found = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (OSError, ValueError, x509.ExtensionNotFound):
        return False
    lasts = certificate.not_valid_after_utc - datetime.now(timezone.utc) > timedelta(days=RENEWED)
    return lasts and set(map(str, map(_named, names))) <= set(map(str, found))
