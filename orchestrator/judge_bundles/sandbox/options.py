"""What one sandbox may use. A rule's `sandbox` section fills it in; isolation is not negotiable."""

from dataclasses import dataclass

from judge_bundles.limits import SANDBOX_CPUS, SANDBOX_MEMORY_BYTES, SANDBOX_PIDS


@dataclass(frozen=True, slots=True)
class SandboxOptions:
    """Memory in bytes (swap included), CPUs, processes, and the engine's runtime if not its own."""

    memory_bytes: int = SANDBOX_MEMORY_BYTES
    cpus: float = SANDBOX_CPUS
    pids: int = SANDBOX_PIDS
    runtime: str | None = None
