"""What one worker process may use. The numbers themselves are in `judge_bundles.limits`."""

from dataclasses import asdict, dataclass
from typing import Any

from judge_bundles.limits import MAX_WORKER_REPLY_BYTES, MIB, WORKER_MAX_REQUESTS


@dataclass(frozen=True, slots=True)
class WorkerLimits:
    """Limits of one process; those in seconds hold for each request."""

    memory_bytes: int
    """Address space: what goes beyond is a `MemoryError` inside."""
    cpu_s: int
    wall_s: float
    file_bytes: int
    open_files: int
    max_requests: int = WORKER_MAX_REQUESTS
    max_reply_bytes: int = MAX_WORKER_REPLY_BYTES

    def dump(self) -> dict[str, Any]:
        """Return the form in which the limits travel to the process."""
        return asdict(self)

    @property
    def memory(self) -> str:
        """The memory limit in words."""
        return f"{self.memory_bytes // MIB:,} MiB of memory"
