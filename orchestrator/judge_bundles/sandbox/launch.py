"""Make, check, attach and start one container. Blocking; called in the engine's threads.

Every option of isolation stands here and is asked for every time. Nothing is ever executed in a
running container and nothing is copied into it: the bundle is bound read-only, the tools are in the
image, and one attached stream is all that passes.
"""

import json
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import docker
from docker.types import LogConfig, Mount, Ulimit

from judge_bundles.errors import JudgementError
from judge_bundles.limits import (
    SANDBOX_FILE_BYTES,
    SANDBOX_OPEN_FILES,
    SANDBOX_TMP_BYTES,
    SANDBOX_TMP_INODES,
    SANDBOX_USER,
)
from judge_bundles.sandbox.isolation import require_as_asked
from judge_bundles.sandbox.options import SandboxOptions

BUNDLE: Final = "/bundle"
_SECCOMP: Final = Path(__file__).with_name("seccomp.json")


@dataclass(frozen=True, slots=True)
class Plan:
    """All that decides about one container: the image's id, the folder to show, labels, limits.

    `program` runs instead of the tool server, under the very same isolation, to try that isolation.
    `engine_kernel` is the release of the engine's kernel where the runtime may bring another one.
    """

    image_id: str
    root: Path
    labels: Mapping[str, str]
    options: SandboxOptions
    program: tuple[str, ...] | None = None
    engine_kernel: str | None = None


def create(api: docker.APIClient, plan: Plan) -> str:
    """Create a container and return its id; a warning of the engine counts as a refusal."""
    created = api.create_container(
        image=plan.image_id,
        entrypoint=list(plan.program) if plan.program else None,
        host_config=host_config(api, plan),
        user=f"{SANDBOX_USER}:{SANDBOX_USER}",
        hostname="sandbox",
        working_dir="/",
        environment={},
        labels=dict(plan.labels),
        stdin_open=True,
        tty=False,
        network_disabled=True,
        healthcheck={"test": ["NONE"]},
        use_config_proxy=False,
    )
    warnings = created.get("Warnings")
    if warnings:
        api.remove_container(created["Id"], force=True, v=True)
        raise JudgementError(
            "sandbox_isolation", f"The engine cannot do all that was asked: {' '.join(warnings)}"
        )
    identity: str = created["Id"]
    return identity


def start(api: docker.APIClient, container: str, plan: Plan) -> socket.socket:
    """Check what the engine made of the options, attach, start, and return the attached stream."""
    require_as_asked(host_config(api, plan), api.inspect_container(container))
    return attach_and_start(api, container)


def attach_and_start(api: docker.APIClient, container: str) -> socket.socket:
    """Start a container and return the stream that was attached to it before."""
    attached = api.attach_socket(
        container, params={"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
    )
    # The client's own object waits without end on reads; the descriptor under it is taken over.
    stream = socket.socket(fileno=os.dup(attached.fileno()))
    attached._response.close()  # noqa: SLF001 - closing what it returned leaves the socket open
    try:
        api.start(container)
    except BaseException:
        stream.close()
        raise
    stream.settimeout(0)
    return stream


def host_config(api: docker.APIClient, plan: Plan) -> dict[str, Any]:
    """Return the engine's `HostConfig` for a sandbox."""
    options = plan.options
    config: dict[str, Any] = api.create_host_config(
        network_mode="none",
        cap_drop=["ALL"],
        security_opt=["no-new-privileges", f"seccomp={_seccomp()}"],
        read_only=True,
        init=True,
        ipc_mode="none",
        cgroupns="private",
        pids_limit=options.pids,
        mem_limit=options.memory_bytes,
        memswap_limit=options.memory_bytes,
        nano_cpus=round(options.cpus * 1_000_000_000),
        ulimits=[
            Ulimit(name="nofile", soft=SANDBOX_OPEN_FILES, hard=SANDBOX_OPEN_FILES),
            Ulimit(name="core", soft=0, hard=0),
            # The engine mounts /dev/mqueue writable; without room for a queue nothing can be made.
            Ulimit(name="msgqueue", soft=0, hard=0),
            Ulimit(name="fsize", soft=SANDBOX_FILE_BYTES, hard=SANDBOX_FILE_BYTES),
        ],
        tmpfs={
            "/tmp": f"size={SANDBOX_TMP_BYTES},nr_inodes={SANDBOX_TMP_INODES},"  # noqa: S108 - in the container
            "mode=1777,noexec,nosuid,nodev"
        },
        mounts=[Mount(BUNDLE, str(plan.root), type="bind", read_only=True, propagation="rprivate")],
        log_config=LogConfig(type="none"),
        runtime=options.runtime,
    )
    return config


@cache
def _seccomp() -> str:
    return json.dumps(json.loads(_SECCOMP.read_bytes()), separators=(",", ":"))
