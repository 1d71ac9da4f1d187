"""Decide whether a container is as isolated as was asked for; in doubt it is not.

Two witnesses: the engine, asked what it made of the options, and the tool server's first line about
what the kernel says inside. A difference means that no bundle is judged there.

A runtime with a kernel of its own may not filter system calls, since none reaches the engine's
kernel, and gVisor's does not know ambient capabilities, which are part of the permitted ones.
"""

from collections.abc import Mapping
from typing import Any, Final

from judge_bundles.errors import JudgementError
from judge_bundles.limits import SANDBOX_USER

_FILTERING: Final = "2"
_AMBIENT: Final = "CapAmb"
_NO_CAPABILITIES: Final = ("CapInh", "CapPrm", "CapEff", "CapBnd", _AMBIENT)
_MUST_BE_EMPTY: Final = ("Binds", "CapAdd", "Devices", "DeviceRequests", "VolumesFrom", "GroupAdd")
_MUST_BE_OFF: Final = ("Privileged", "PublishAllPorts", "OomKillDisable")


def engine_problems(info: Mapping[str, Any]) -> list[str]:
    """Return what an engine's `info` says it cannot do, as continuations of "it cannot"."""
    security = info.get("SecurityOptions") or []
    checks = (
        (info.get("OSType") == "linux", "run Linux containers"),
        (info.get("MemoryLimit"), "limit memory"),
        (info.get("SwapLimit"), "limit swap"),
        (info.get("CpuCfsQuota"), "limit CPU time"),
        (info.get("PidsLimit"), "limit processes"),
        (any("name=seccomp" in option for option in security), "filter system calls"),
    )
    return [problem for holds, problem in checks if not holds]


def require_isolated(hello: Mapping[str, Any], *, engine_kernel: str | None = None) -> None:
    """Raise unless the server's report about itself is that of an isolated container.

    `engine_kernel` is the release of the engine's kernel where the runtime may bring another one.
    """
    if problems := reported_problems(hello, engine_kernel=engine_kernel):
        raise _not_isolated(problems)


def require_as_asked(asked: Mapping[str, Any], container: Mapping[str, Any]) -> None:
    """Raise unless the engine's record of a container has the host options that were asked for."""
    if problems := option_problems(asked, container):
        raise _not_isolated(problems)


def reported_problems(hello: Mapping[str, Any], *, engine_kernel: str | None = None) -> list[str]:
    """Return what the server's report has that an isolated container has not."""
    capabilities = hello.get("capabilities")
    held = capabilities if isinstance(capabilities, dict) else {}
    own_kernel = _is_another(hello.get("kernel"), engine_kernel)
    masks = [held.get(name) for name in _NO_CAPABILITIES]
    if own_kernel and held.get(_AMBIENT, "") is None:
        masks.remove(None)
    checks = (
        (hello.get("interfaces") == ["lo"], f"network interfaces {hello.get('interfaces')!r:.200}"),
        (hello.get("uid") == SANDBOX_USER, f"user id {hello.get('uid')!r:.20}"),
        (hello.get("gid") == SANDBOX_USER, f"group id {hello.get('gid')!r:.20}"),
        (hello.get("no_new_privileges") is True, "new privileges can be gained"),
        (own_kernel or hello.get("seccomp") == _FILTERING, "system calls are not filtered"),
        (hello.get("bundle_read_only") is True, "the bundle is writable"),
        (hello.get("root_read_only") is True, "the root file system is writable"),
        (all(_is_zero(mask) for mask in masks), "capabilities are held"),
    )
    return [problem for holds, problem in checks if not holds]


def option_problems(asked: Mapping[str, Any], container: Mapping[str, Any]) -> list[str]:
    """Return the options that the engine did not take as they were asked for."""
    host = container.get("HostConfig") or {}
    problems = [
        f"{name} is {host.get(name)!r:.100}"
        for name, value in asked.items()
        if name != "Mounts" and host.get(name) != value
    ]
    problems += [f"{name} is not empty" for name in _MUST_BE_EMPTY if host.get(name)]
    problems += [f"{name} is on" for name in _MUST_BE_OFF if host.get(name)]
    mounts = container.get("Mounts") or []
    if [(mount.get("Destination"), mount.get("RW")) for mount in mounts] != [("/bundle", False)]:
        problems.append(f"mounts are {mounts!r:.200}")
    config = container.get("Config") or {}
    if config.get("User") != f"{SANDBOX_USER}:{SANDBOX_USER}":
        problems.append(f"User is {config.get('User')!r:.40}")
    return problems


def _is_another(kernel: object, engine_kernel: str | None) -> bool:
    """Tell whether a reported kernel is certainly not the engine's."""
    return bool(engine_kernel and isinstance(kernel, str) and kernel and kernel != engine_kernel)


def _is_zero(mask: object) -> bool:
    return isinstance(mask, str) and mask != "" and set(mask) == {"0"}


def _not_isolated(problems: list[str]) -> JudgementError:
    return JudgementError(
        "sandbox_isolation", f"The container is not isolated as asked for: {'; '.join(problems)}."
    )
