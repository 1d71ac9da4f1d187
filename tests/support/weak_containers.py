"""Containers that lack one defence on purpose: where the proof must see it, or it proves nothing.

They exist here only; nothing of the product starts such a container.
"""

import socket
from collections.abc import Mapping
from typing import Any

import docker

from judge_bundles.limits import SANDBOX_USER
from judge_bundles.sandbox import launch
from judge_bundles.sandbox.container import DockerSandbox
from judge_bundles.sandbox.lifecycle import remove_container
from judge_bundles.sandbox.proof.target import Launch, Target
from tests.support import probe

UNFILTERED = {"SecurityOpt": ["no-new-privileges", "seccomp=unconfined"]}
ROOT = 0

CREDULOUS = """
import json, sys
from sandbox_image.facts import hello
print(json.dumps({'hello': hello('/bundle')}), flush=True)
for line in sys.stdin:
    reply = {'id': json.loads(line)['id'], 'text': 'root:x:0:0:root:/root:/bin/bash' * 2000,
             'shown': [], 'media': [], 'cut': False, 'error_kind': None}
    print(json.dumps(reply), flush=True)
"""
"""A tool server that gives everything to anyone."""


def without(
    host: Mapping[str, Any],
    *,
    user: int = SANDBOX_USER,
    environment: tuple[str, ...] = (),
) -> Launch:
    """Return what starts a container in which these options of the host take the place of ours."""

    def launched(api: docker.APIClient, plan: launch.Plan) -> tuple[str, socket.socket]:
        assert plan.program is not None
        created = api.create_container_from_config(  # type: ignore[no-untyped-call]  # not in the stubs
            {
                "Image": plan.image_id,
                "Entrypoint": list(plan.program),
                "HostConfig": {**launch.host_config(api, plan), **host},
                "User": f"{user}:{user}",
                "Hostname": "sandbox",
                "Env": list(environment),
                "Labels": dict(plan.labels),
                "OpenStdin": True,
                "AttachStdin": True,
            }
        )
        try:
            return created["Id"], launch.attach_and_start(api, created["Id"])
        except BaseException:
            remove_container(api, created["Id"])
            raise

    return launched


def mounted(target: str, source: str, *, read_only: bool = True) -> dict[str, Any]:
    """Return one entry of the host option `Mounts`."""
    return {"Type": "bind", "Source": source, "Target": target, "ReadOnly": read_only}


def tmpfs(options: str) -> dict[str, Any]:
    """Return the host option for /tmp."""
    return {"Tmpfs": {"/tmp": options}}


class Credulous(Target):
    """A target whose tool server gives everything to anyone."""

    def sandbox(
        self,
        program: tuple[str, ...] | None = None,  # noqa: ARG002 - the credulous one takes its place
        *,
        tool_timeout_s: float,
    ) -> DockerSandbox:
        return super().sandbox(probe.python(CREDULOUS), tool_timeout_s=tool_timeout_s)
