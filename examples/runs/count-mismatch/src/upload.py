"""Receives invoices and puts them where accounting picks them up."""

from pathlib import Path

INBOX = Path("/srv/invoices")


def store_invoice(filename: str, content: bytes) -> Path:
    target = INBOX / filename
    target.write_bytes(content)
    return target
