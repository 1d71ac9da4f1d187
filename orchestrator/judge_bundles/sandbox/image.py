"""Have the sandbox image: found by its tag, or built from the installed package on first use.

An image is the sum of its sources and its base's content. The engine's id of it changes with every
build, so the id is recorded and never compared; tag and `cache_key` are made of the content.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import docker
from docker import errors as docker_errors
from docker.utils import parse_repository_tag

from judge_bundles.errors import EngineSetupError
from judge_bundles.sandbox.failure import ENGINE_ERRORS, reason
from judge_bundles.sandbox.sources import sources

PUBLIC_BASE: Final = "python:3.12-slim-bookworm"
LOCAL_BASE: Final = "judge-bundles-base:local"
BASE_VARIABLE: Final = "JUDGE_BUNDLES_SANDBOX_BASE"
REPOSITORY: Final = "judge-bundles-sandbox"
_SOURCES: Final = "judge-bundles.sources"
_BASE: Final = "judge-bundles.base"


@dataclass(frozen=True, slots=True)
class Image:
    """A built image. `id` is the engine's; digests are SHA-256 in hexadecimal."""

    id: str
    tag: str
    base: str
    sources_digest: str
    base_digest: str

    @property
    def cache_key(self) -> str:
        """What two images have in common whose verdicts may stand for each other."""
        return _content_digest(self.sources_digest, self.base_digest)


def prepare(
    api: docker.APIClient, base: str | None = None, *, patient: docker.APIClient | None = None
) -> Image:
    """Return the image on `base` (or as `choose_base` says), building it where it is missing.

    `patient` is the client that pulls and builds, which may take longer than an answer.
    """
    patient = patient or api
    chosen = choose_base(api, base)
    base_digest = content_of(_find(api, chosen) or _pull(patient, chosen))
    digest = _content_digest(sources().digest, base_digest)
    tag = f"{REPOSITORY}:{digest[:16]}"
    found = _find(api, tag) or _build(patient, tag, chosen, base_digest)
    return Image(found["Id"], tag, chosen, sources().digest, base_digest)


def choose_base(api: docker.APIClient, base: str | None = None) -> str:
    """Return `base`, else the variable's, else the local base if there is one, else the public."""
    named = base or os.environ.get(BASE_VARIABLE)
    if named:
        return named
    return LOCAL_BASE if _find(api, LOCAL_BASE) else PUBLIC_BASE


def content_of(image: Mapping[str, Any]) -> str:
    """Return a digest of what a container of that image would see of it."""
    config = image.get("Config") or {}
    seen = {
        "layers": (image.get("RootFS") or {}).get("Layers"),
        "platform": [image.get("Os"), image.get("Architecture")],
        "environment": config.get("Env"),
    }
    return hashlib.sha256(json.dumps(seen, sort_keys=True).encode()).hexdigest()


def _content_digest(sources_digest: str, base_digest: str) -> str:
    return hashlib.sha256(f"{sources_digest} {base_digest}".encode()).hexdigest()


def _find(api: docker.APIClient, name: str) -> Mapping[str, Any] | None:
    try:
        return _inspected(api, name)
    except docker_errors.ImageNotFound:
        return None


def _inspected(api: docker.APIClient, name: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = api.inspect_image(name)  # type: ignore[no-untyped-call]  # not in the stubs
    return found


def _pull(api: docker.APIClient, name: str) -> Mapping[str, Any]:
    """Have the engine fetch the base image."""
    try:
        repository, tag = parse_repository_tag(name)
        for event in api.pull(repository, tag=tag or "latest", stream=True, decode=True):
            if "error" in event:
                raise _no_base(name, " ".join(str(event["error"]).split()))
    except ENGINE_ERRORS as error:
        raise _no_base(name, reason(error)) from error
    return _inspected(api, name)


def _build(api: docker.APIClient, tag: str, base: str, base_digest: str) -> Mapping[str, Any]:
    said: list[str] = []
    try:
        for event in api.build(
            fileobj=sources().context(),
            custom_context=True,
            tag=tag,
            buildargs={"BASE": base},
            labels={_SOURCES: sources().digest, _BASE: base_digest},
            network_mode="none",
            rm=True,
            forcerm=True,
            decode=True,
            use_config_proxy=False,
        ):
            said.append(str(event.get("error") or event.get("stream") or "").strip())
            if "error" in event:
                raise _not_built(base, said)
    except ENGINE_ERRORS as error:
        raise _not_built(base, [*said, reason(error)]) from error
    return _inspected(api, tag)


def _no_base(name: str, why: str) -> EngineSetupError:
    return EngineSetupError(
        f"The base image {name} of the sandbox could not be pulled ({why}): set {BASE_VARIABLE} to "
        "an image with Python 3.9 or later that this engine has, or run scripts/build-image."
    )


def _not_built(base: str, said: list[str]) -> EngineSetupError:
    last = " / ".join(" ".join(line.split()) for line in said if line)[-600:]
    return EngineSetupError(
        f"The sandbox image could not be built on {base}: …{last}. "
        f"Set {BASE_VARIABLE} to an image with Python 3.9 or later on its PATH."
    )
