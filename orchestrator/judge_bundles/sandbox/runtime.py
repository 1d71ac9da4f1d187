"""Which runtime runs a container, and whether it brings a kernel of its own, as gVisor does.

Such a runtime answers system calls itself: what the tools do never reaches the engine's kernel, and
the threads of that kernel count among the container's processes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Self

from judge_bundles.limits import SANDBOX_RUNTIME_THREADS
from judge_bundles.sandbox.options import SandboxOptions

_ON_THE_ENGINES_KERNEL: Final = frozenset(
    {"runc", "crun", "youki", "io.containerd.runc.v1", "io.containerd.runc.v2",
     "io.containerd.runtime.v1.linux"}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Runtimes:
    """What an engine says about itself: its kernel's release, its runtimes, the one it takes itself."""

    kernel: str
    default: str
    names: tuple[str, ...]

    @classmethod
    def of(cls, info: Mapping[str, Any]) -> Self:
        """Read an engine's `info`."""
        return cls(
            kernel=str(info.get("KernelVersion") or ""),
            default=str(info.get("DefaultRuntime") or ""),
            names=tuple(sorted(info.get("Runtimes") or {})),
        )

    def may_bring_a_kernel(self, name: str | None) -> bool:
        """Tell whether the runtime of that name (None: the engine's own) may not be on its kernel."""
        return (name or self.default) not in _ON_THE_ENGINES_KERNEL

    def fitting(self, options: SandboxOptions) -> SandboxOptions:
        """Return the options with room for the runtime's own threads, which count as processes."""
        if not self.may_bring_a_kernel(options.runtime):
            return options
        return replace(options, pids=options.pids + SANDBOX_RUNTIME_THREADS)
