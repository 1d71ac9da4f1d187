"""Whether a run is to take no more bundles: asked for from outside, looked at before each bundle.

What is in flight is not touched by it; who wants that to end cancels the run.
"""

from dataclasses import dataclass


@dataclass(slots=True)
class Stopping:
    """A request to stop, made once and never taken back. Belongs to one run and its event loop."""

    requested: bool = False

    def request(self) -> None:
        """Take no more bundles from now on; asking again changes nothing."""
        self.requested = True
