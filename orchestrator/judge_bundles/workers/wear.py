"""Say from within a program that its process should answer no further request.

For what a process cannot be rid of otherwise, such as threads that foreign code left running. Apart
from `serve`, which runs as a program of its own and would be imported a second time.
"""

from threading import Event
from typing import Final

_WORN: Final = Event()


def wear_out() -> None:
    """Have the process end once it has given the answer it is working on."""
    _WORN.set()


def is_worn() -> bool:
    """Whether this is the last request."""
    return _WORN.is_set()
