"""Which runtimes may bring a kernel of their own, and what is made room for then."""

import pytest

from judge_bundles.limits import SANDBOX_RUNTIME_THREADS
from judge_bundles.sandbox.options import SandboxOptions
from judge_bundles.sandbox.runtime import Runtimes

INFO = {
    "KernelVersion": "6.1.0-1-amd64",
    "DefaultRuntime": "runc",
    "Runtimes": {"runsc": {"path": "/usr/bin/runsc"}, "runc": {"path": "runc"}},
}


@pytest.mark.parametrize(
    ("name", "default", "may"),
    [
        (None, "runc", False),
        ("runc", "runc", False),
        ("crun", "runc", False),
        ("io.containerd.runc.v2", "runc", False),
        ("runsc", "runc", True),
        ("kata", "runc", True),
        (None, "runsc", True),
        ("runc", "runsc", False),
    ],
)
def test_a_runtime_that_is_not_known_to_use_the_engines_kernel_may_bring_another(
    name: str | None, default: str, may: bool
) -> None:
    runtimes = Runtimes.of({**INFO, "DefaultRuntime": default})

    assert runtimes.may_bring_a_kernel(name) is may
    options = SandboxOptions(pids=8, runtime=name)
    assert runtimes.fitting(options).pids == 8 + (SANDBOX_RUNTIME_THREADS if may else 0)
    assert runtimes.fitting(options).memory_bytes == options.memory_bytes


def test_gvisor_has_the_128_processes_that_it_needs_whatever_a_rule_says() -> None:
    assert Runtimes.of(INFO).fitting(SandboxOptions(pids=8, runtime="runsc")).pids >= 128


def test_what_an_engine_says_is_read() -> None:
    assert Runtimes.of(INFO) == Runtimes("6.1.0-1-amd64", "runc", ("runc", "runsc"))


def test_an_engine_that_says_nothing_gets_no_allowance() -> None:
    silent = Runtimes.of({})

    assert (silent.kernel, silent.names) == ("", ())
    assert silent.may_bring_a_kernel(None)  # and with no kernel to compare, nothing follows from it
