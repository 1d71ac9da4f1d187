"""The sandbox image: which base it stands on, what names it, and what is said when it cannot be had."""

import asyncio
import io
import tarfile
import uuid
from collections.abc import Iterator
from typing import Any

import docker
import pytest

from judge_bundles.errors import EngineSetupError
from judge_bundles.sandbox.engine import Engine
from judge_bundles.sandbox.image import (
    BASE_VARIABLE,
    LOCAL_BASE,
    PUBLIC_BASE,
    REPOSITORY,
    choose_base,
    content_of,
    prepare,
)
from judge_bundles.sandbox.sources import sources

pytestmark = pytest.mark.docker


@pytest.fixture
def api(docker_engine: Engine) -> docker.APIClient:
    return docker_engine.api


@pytest.fixture
def empty_base(api: docker.APIClient) -> Iterator[str]:
    """An image that holds one file and no Python."""
    name = f"judge-bundles-test:{uuid.uuid4().hex[:12]}"
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        tar.addfile(tarfile.TarInfo("nothing"))
    repository, tag = name.split(":")
    api.import_image_from_data(archive.getvalue(), repository=repository, tag=tag)
    yield name
    for half_built in api.images(filters={"dangling": True, "since": name}, quiet=True):
        api.remove_image(half_built, force=True)
    api.remove_image(name, force=True)


def inspect(api: docker.APIClient, name: str) -> dict[str, Any]:
    found: dict[str, Any] = api.inspect_image(name)  # type: ignore[no-untyped-call]  # not in the stubs
    return found


def test_an_image_is_built_once_and_found_afterwards(
    docker_engine: Engine, api: docker.APIClient
) -> None:
    first = asyncio.run(docker_engine.prepare_image())
    second = asyncio.run(docker_engine.prepare_image())

    assert first == second
    assert first.tag.startswith(f"{REPOSITORY}:")
    assert first.sources_digest == sources().digest


def test_an_image_that_is_removed_is_built_again_under_the_same_name(
    docker_engine: Engine, api: docker.APIClient
) -> None:
    before = asyncio.run(docker_engine.prepare_image())
    assert docker_engine.image is not None
    base = f"judge-bundles-test:{uuid.uuid4().hex[:12]}"
    # A base of its own, so that no other test's image is taken away.
    repository, tag = base.split(":")
    api.tag(before.id, repository, tag)
    try:
        own = prepare(api, base)
        api.remove_image(own.tag, force=True)
        again = prepare(api, base)
        api.remove_image(again.tag, force=True)
    finally:
        api.remove_image(base, force=True)

    assert (own.tag, own.cache_key) == (again.tag, again.cache_key)
    assert own.cache_key != before.cache_key


def test_one_content_under_two_ids_has_one_cache_key(api: docker.APIClient) -> None:
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        tar.addfile(tarfile.TarInfo("same"))
    names = [f"judge-bundles-test:{uuid.uuid4().hex[:12]}" for _ in range(2)]
    try:
        for name, message in zip(names, ("one", "two"), strict=True):
            repository, tag = name.split(":")
            api.import_image_from_data(
                archive.getvalue(), repository=repository, tag=tag, changes=f"LABEL made={message}"
            )
        images = [inspect(api, name) for name in names]
    finally:
        for name in names:
            api.remove_image(name, force=True)

    assert images[0]["Id"] != images[1]["Id"]
    assert content_of(images[0]) == content_of(images[1])


def test_the_base_is_the_named_one_then_the_variable_then_what_is_there(
    api: docker.APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    local = bool(api.images(name=LOCAL_BASE))
    monkeypatch.delenv(BASE_VARIABLE, raising=False)
    assert choose_base(api) == (LOCAL_BASE if local else PUBLIC_BASE)

    monkeypatch.setenv(BASE_VARIABLE, "from/variable:1")
    assert choose_base(api) == "from/variable:1"
    assert choose_base(api, "named:1") == "named:1"


def test_a_base_without_python_fails_when_the_image_is_built(
    api: docker.APIClient, empty_base: str
) -> None:
    with pytest.raises(EngineSetupError) as raised:
        prepare(api, empty_base)

    assert f"could not be built on {empty_base}" in str(raised.value)
    assert BASE_VARIABLE in str(raised.value)


def test_a_base_that_cannot_be_had_is_named_with_what_to_do(api: docker.APIClient) -> None:
    # A registry on this machine that is not there: nothing leaves it.
    name = "127.0.0.1:9/judge-bundles-no-such-base:1"

    with pytest.raises(EngineSetupError) as raised:
        prepare(api, name)

    assert str(raised.value).startswith(f"The base image {name} of the sandbox could not be pulled")
    assert f"set {BASE_VARIABLE} to" in str(raised.value)


def test_nothing_but_the_sources_is_added_to_the_base(
    docker_engine: Engine, api: docker.APIClient
) -> None:
    image = asyncio.run(docker_engine.prepare_image())
    config = inspect(api, image.id)["Config"]

    assert not config.get("Volumes")
    assert not config.get("ExposedPorts")
    assert config["Entrypoint"][-1] == "/opt/judge-bundles/sandbox_image/__main__.py"
