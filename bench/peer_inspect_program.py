"""The same work in Inspect AI's documented docker sandbox; runs in an environment of its own.

`python peer_inspect_program.py COMPOSE_FILE COUNT CONCURRENCY LOG_DIR` judges COUNT samples, each
with a container from the compose file, six tool calls and a mock model, and prints the seconds it took.
The compose file shows the bundle as the working folder.
"""

import sys
import time
from typing import Any

from inspect_ai import Task, eval  # noqa: A004 - its name for running a task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import Tool, tool
from inspect_ai.util import sandbox
from inspect_ai.util._sandbox.docker import docker as docker_sandbox

COMMANDS: tuple[tuple[str, ...], ...] = (
    ("ls", "-l", "."),
    ("cat", "report.md"),
    ("cat", "findings.json"),
    ("grep", "-rn", "severity", "."),
    ("python3", "-c", "import json; json.load(open('findings.json'))['findings']"),
    ("wc", "-c", "scan.json"),
)


@tool  # type: ignore[untyped-decorator]  # not installed where types are checked
def look() -> Tool:
    """Give the model one tool, which runs a command in the sandbox."""

    async def execute(number: int) -> str:
        """Run one of the commands.

        Args:
            number: Which one.
        """
        result = await sandbox().exec(list(COMMANDS[number]))
        if not result.success:
            raise RuntimeError(result.stderr)
        return str(result.stdout)

    return execute


def answer(messages: list[Any], *_: Any) -> ModelOutput:
    """Answer as a model would that calls the tool six times and then ends."""
    given = sum(message.role == "assistant" for message in messages)
    if given == len(COMMANDS):
        output = ModelOutput.from_content("mockllm/model", "pass")
    else:
        output = ModelOutput.for_tool_call("mockllm/model", "look", {"number": given})
    # Without it the mock counts tokens, with a table that it fetches from the network.
    output.usage = ModelUsage(input_tokens=100, output_tokens=20, total_tokens=120)
    return output


async def _any_engine(*_: Any, **__: Any) -> None:
    """Stand in for its check of the engine's version: the work is the same on older engines."""


def main(compose: str, count: int, concurrency: int, log_dir: str) -> None:
    """Run the task and print its seconds; every sample must end well."""
    docker_sandbox.validate_prereqs.__globals__["validate_docker_engine"] = _any_engine
    task = Task(
        dataset=MemoryDataset([Sample(input="Judge it.", id=n) for n in range(count)]),
        solver=[use_tools(look()), generate()],
        sandbox=("docker", compose),
    )
    begun = time.perf_counter()
    (log,) = eval(
        task,
        model=get_model("mockllm/model", custom_outputs=answer),
        max_samples=concurrency,
        max_sandboxes=concurrency,
        display="plain",
        log_dir=log_dir,
    )
    took = time.perf_counter() - begun
    done = [
        one for one in log.samples or () if one.error is None and one.output.completion == "pass"
    ]
    if log.status != "success" or len(done) != count:
        faults = [one.error.message for one in log.samples or () if one.error is not None][:1]
        sys.exit(f"{len(done)} of {count} samples ended well: {log.status} {log.error} {faults}")
    print(took)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
