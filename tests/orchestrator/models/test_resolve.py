import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from judge_bundles.errors import ModelSetupError
from judge_bundles.models.anthropic_model import AnthropicModel
from judge_bundles.models.base import Model
from judge_bundles.models.resolve import resolve
from judge_bundles.models.script.model import ScriptModel
from tests.orchestrator.models.model_cases import CONTEXT, REQUEST
from tests.support import messages_server as fake
from tests.support.messages_server import MessagesServer

PREFIXES = ("ANTHROPIC_", "AWS_", "GOOGLE_", "CLOUD_ML_")


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in os.environ if name.startswith(PREFIXES)]:
        monkeypatch.delenv(name)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))  # no profiles there


def resolved(name: str) -> Model:
    model = resolve(name, concurrency=2)
    asyncio.run(model.close())
    return model


def refused(name: str) -> str:
    with pytest.raises(ModelSetupError) as caught:
        resolve(name, concurrency=2)
    return str(caught.value)


def test_neither_the_resolver_nor_the_contract_imports_the_sdk() -> None:
    program = (
        "import sys, judge_bundles.models.resolve, judge_bundles.models.base;"
        "print(sorted({'anthropic', 'httpx2', 'genai_prices'} & set(sys.modules)))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize("variable", ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"])
def test_a_claude_needs_a_key_or_a_token(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN" in refused("claude-opus-5")
    monkeypatch.setenv(variable, "canary-0123456789")
    model = resolved("claude-opus-5")
    assert isinstance(model, AnthropicModel)
    assert (model.name, model.identity, model.scripted) == ("claude-opus-5", "claude-opus-5", False)
    assert model.price is not None
    assert model.wire_body(REQUEST)["model"] == "claude-opus-5"
    assert model.pace.limit == 2


def test_a_profile_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_PROFILE", "nightly")
    message = refused("claude-opus-5")
    assert message.startswith("no usable Anthropic credentials")
    assert "nightly" in message
    assert "\n" not in message


def test_a_model_whose_price_is_not_known_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "canary-0123456789")
    assert resolved("claude-from-the-future").price is None


@pytest.mark.parametrize("key", ["two words 0123", "canary-0123\nX-Other: 1", "schlüssel-0123"])
def test_a_key_that_no_header_can_hold_is_refused_without_showing_it(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", key)
    message = refused("claude-opus-5")
    assert message.startswith("ANTHROPIC_API_KEY holds")
    assert "0123" not in message


def test_space_around_a_key_is_no_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "canary-0123456789\n")
    with MessagesServer([fake.message(fake.text("ok"))]) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)

        async def ask() -> None:
            model = resolve("claude-opus-5", concurrency=1)
            await model.create(REQUEST, CONTEXT, timeout_s=5)
            await model.close()

        asyncio.run(ask())
    assert server.requests[0].headers["authorization"].endswith(" canary-0123456789")


def test_another_server_may_have_models_of_other_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9/proxy/")
    assert "any text if the server asks for none" in refused("some-model")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    model = resolved("some-model")
    assert model.identity == "some-model at http://127.0.0.1:9/proxy"
    assert model.price is None


def test_an_address_with_a_password_is_refused_without_showing_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "https://user:secret@127.0.0.1/")
    message = refused("claude-opus-5")
    assert "ANTHROPIC_BASE_URL holds a user or password" in message
    assert "secret" not in message


@pytest.mark.parametrize("address", ["", "not an address", "ftp://x", "http://", "http://[::1"])
def test_an_address_that_is_none_is_refused(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "canary-0123456789")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", address)
    assert "ANTHROPIC_BASE_URL is not" in refused("claude-opus-5")


@pytest.mark.parametrize("name", ["", "gpt-5", "bedrok/x", "Claude-opus-5", "\x1b[31mred"])
def test_an_unknown_name_is_refused_with_what_is_known(name: str) -> None:
    message = refused(name)
    assert "claude-…, bedrock/…, vertex/…, foundry/… and script:FILE" in message
    assert "\x1b" not in message


@pytest.mark.parametrize("cloud", ["bedrock", "vertex", "foundry"])
def test_a_cloud_without_a_model_is_refused(cloud: str) -> None:
    assert f"model {cloud}/: no model named" in refused(f"{cloud}/")


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("bedrock/anthropic.claude-opus-5", "pip install 'judge-bundles[bedrock]'"),
        ("vertex/claude-opus-5", "pip install 'judge-bundles[vertex]'"),
    ],
)
def test_a_missing_extra_is_named_with_the_command_that_installs_it(
    name: str, command: str
) -> None:
    package = {"bedrock": "boto3", "vertex": "google.auth"}[name.partition("/")[0]]
    program = f"import {package}"
    if (
        subprocess.run([sys.executable, "-c", program], capture_output=True, check=False).returncode
        == 0
    ):
        pytest.skip(f"{package} is installed here")
    assert command in refused(name)


def test_bedrock_works_with_its_bearer_token_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", "canary-0123456789")
    assert "AWS_REGION" in refused("bedrock/us.anthropic.claude-opus-5")
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    model = resolved("bedrock/us.anthropic.claude-opus-5")
    assert model.name == model.identity == "bedrock/us.anthropic.claude-opus-5"
    assert model.price is not None
    assert model.wire_body(REQUEST)["model"] == "us.anthropic.claude-opus-5"


def test_foundry_needs_its_key_and_its_resource(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "ANTHROPIC_FOUNDRY_API_KEY" in refused("foundry/claude-opus-5")
    monkeypatch.setenv("ANTHROPIC_FOUNDRY_API_KEY", "canary-0123456789")
    assert "ANTHROPIC_FOUNDRY_RESOURCE" in refused("foundry/claude-opus-5")
    monkeypatch.setenv("ANTHROPIC_FOUNDRY_RESOURCE", "mine")
    assert resolved("foundry/claude-opus-5").wire_body(REQUEST)["model"] == "claude-opus-5"


def test_a_script_is_read_from_its_file(tmp_path: Path) -> None:
    script = tmp_path / "demo.yaml"
    script.write_text("conversations: [{turns: [{say: hello}]}]")
    model = resolved(f"script:{script}")
    assert isinstance(model, ScriptModel)
    assert (model.name, model.scripted, model.price) == ("script:demo.yaml", True, None)
    assert "cannot be read" in refused(f"script:{tmp_path / 'missing.yaml'}")
