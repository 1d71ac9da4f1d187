import copy
from typing import Any

import pytest

from judge_bundles.models import wire
from tests.orchestrator.models.model_cases import REQUEST, ask, model_at
from tests.support import messages_server as fake
from tests.support import sdk_validation
from tests.support.messages_server import MessagesServer

GOOD = wire.body("claude-x", REQUEST)


def changed(*path: Any, to: Any) -> dict[str, Any]:
    body = copy.deepcopy(GOOD)
    place: Any = body
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = to
    return body


def test_a_good_body_has_no_problem() -> None:
    assert sdk_validation.problem(GOOD) is None


@pytest.mark.parametrize(
    "body",
    [
        {},
        [],
        changed("max_tokens", to="many"),
        changed("temperature", to=0.5),
        changed("messages", 0, "role", to="nobody"),
        changed("messages", 0, "content", 0, "type", to="riddle"),
        changed("messages", 0, "content", 0, "extra", to=1),
        changed("system", 0, "cache_control", to={"type": "eternal"}),
        changed("tools", 0, "input_schema", to="object"),
        changed("tools", 0, "stricter", to=True),
        changed("tool_choice", to={"type": "sometimes"}),
        changed("output_config", to={"effort": "herculean"}),
        changed("thinking", to={"type": "wishful"}),
    ],
)
def test_a_wrong_body_is_told_down_to_the_leaves(body: Any) -> None:
    assert sdk_validation.problem(body)


def test_the_server_refuses_and_records_a_wrong_body() -> None:
    request = type(REQUEST)("s", [{"role": "nobody", "content": []}], [], 10)
    with (
        MessagesServer([fake.message(fake.text("never"))]) as server,
        pytest.raises(Exception, match="not a valid request"),
    ):
        ask(model_at(server.url), request)
    assert len(server.violations) == 1
