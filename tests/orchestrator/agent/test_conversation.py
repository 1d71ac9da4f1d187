from judge_bundles.agent.conversation import CUT_OFF, REMOVED, Conversation, text_block
from judge_bundles.models.base import Block, Reply
from judge_bundles.verdict import Usage


def reply(*content: Block) -> Reply:
    return Reply(content, "tool_use", "", (), Usage(), "m")


def result(identifier: str, size: int) -> Block:
    return {"type": "tool_result", "tool_use_id": identifier, "content": [text_block("x" * size)]}


def test_what_the_user_says_twice_in_a_row_is_one_message() -> None:
    conversation = Conversation()
    conversation.say(text_block("a"))
    conversation.say(text_block("b"))
    assert [message["role"] for message in conversation.messages] == ["user"]
    assert len(conversation.messages[0]["content"]) == 2


def test_an_answer_is_kept_unchanged_with_its_thinking() -> None:
    conversation = Conversation()
    thinking = {"type": "thinking", "thinking": "hm", "signature": "s"}
    conversation.say(text_block("a"))
    conversation.take(reply(thinking, text_block("b")))
    assert conversation.messages[1] == {"role": "assistant", "content": [thinking, text_block("b")]}


def test_a_cut_answer_keeps_its_text_and_loses_its_calls() -> None:
    conversation = Conversation()
    conversation.say(text_block("a"))
    conversation.take_without_calls(
        reply(text_block("b"), {"type": "tool_use", "id": "1", "name": "t", "input": {}})
    )
    conversation.take_without_calls(
        reply({"type": "tool_use", "id": "2", "name": "t", "input": {}})
    )
    assert [message["content"] for message in conversation.messages] == [
        [text_block("a")],
        [text_block("b")],
        [text_block(CUT_OFF)],
    ]


def test_trimming_removes_the_oldest_results_first_and_ends() -> None:
    conversation = Conversation()
    for index in range(4):
        conversation.take(reply(text_block("call")))
        conversation.say(result(str(index), 1000))
    assert conversation.trim()
    contents = [message["content"][0].get("content") for message in conversation.messages[1::2]]
    assert contents[:2] == [REMOVED, REMOVED]
    assert REMOVED not in contents[2:]
    trims = 0
    while conversation.trim():
        trims += 1
    assert trims == 2
    assert all(
        message["content"][0]["content"] == REMOVED for message in conversation.messages[1::2]
    )


def test_a_request_on_record_does_not_change_when_the_conversation_is_trimmed() -> None:
    conversation = Conversation()
    conversation.say(result("1", 10))
    recorded = conversation.snapshot()
    conversation.trim()
    conversation.say(text_block("more"))
    assert recorded[0]["content"] == [result("1", 10)]
