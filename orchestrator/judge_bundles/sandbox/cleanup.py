"""Remove containers whose owners are gone: runs that were killed, machines that were restarted.

Containers of living runs are never touched, nor those of other machines or namespaces.
"""

import docker

from judge_bundles.log import get_logger
from judge_bundles.sandbox.failure import ENGINE_ERRORS, reason
from judge_bundles.sandbox.lifecycle import remove_container
from judge_bundles.sandbox.owner import RUN, is_dead


def sweep(api: docker.APIClient) -> int:
    """Remove what dead runs left in the engine; return how many containers that were."""
    removed = 0
    for container in api.containers(all=True, filters={"label": RUN}):
        if not is_dead(container.get("Labels") or {}):
            continue
        try:
            remove_container(api, container["Id"])
            removed += 1
        except ENGINE_ERRORS as error:
            get_logger().warning(
                "container_not_removed", container=container["Id"], reason=reason(error)
            )
    return removed
