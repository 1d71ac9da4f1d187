"""A real HTTP server on loopback that speaks `POST /v1/messages` and can fail in every known way.

Each request is recorded, its body checked against the SDK's types, and answered by the next step:
from a list, from a function of the body, or from a script file as the embedded model reads it. The
URLs of Bedrock and Vertex are understood too. Used as a context manager; nothing outlives it.
"""

import json
import re
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from judge_bundles.models.base import CallContext
from judge_bundles.models.script.format import Fault
from judge_bundles.models.script.load import load
from judge_bundles.models.script.playback import Answer, NoConversation, Playback
from judge_bundles.models.script.transport import error_body
from tests.support import sdk_validation

Body = dict[str, Any]

_ROUTES: Final = (
    re.compile(r"^/v1/messages$"),
    re.compile(r"^/model/(?P<model>[^/]+)/invoke$"),
    re.compile(
        r"^/projects/[^/]+/locations/[^/]+/publishers/anthropic/models/(?P<model>[^/]+):rawPredict$"
    ),
)


@dataclass(frozen=True)
class Message:
    """Answer 200 with this message."""

    body: Mapping[str, Any]
    delay_s: float = 0.0
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Status:
    """Refuse with this HTTP status; `text` replaces the usual JSON error."""

    status: int
    message: str = "the test server refuses"
    headers: Mapping[str, str] = field(default_factory=dict)
    text: str | None = None


@dataclass(frozen=True)
class Text:
    """Answer 200 with a body that is whatever this says."""

    text: str
    content_type: str = "application/json"


@dataclass(frozen=True)
class Cut:
    """Promise a whole message, send its first bytes, close."""

    sent_bytes: int = 20


@dataclass(frozen=True)
class Reset:
    """Reset the connection without a byte."""


@dataclass(frozen=True)
class Hang:
    """Send nothing until the server is closed."""


@dataclass(frozen=True)
class Drip:
    """Send a message byte by byte, slowly enough that no read ever times out."""

    interval_s: float = 0.02


Step = Message | Status | Text | Cut | Reset | Hang | Drip


@dataclass(frozen=True)
class Recorded:
    """One request: when it came (monotonic seconds), where to; names of headers in lower case."""

    arrived: float
    path: str
    headers: Mapping[str, str]
    body: Body


def message(*content: Mapping[str, Any], stop_reason: str | None = None, **usage: int) -> Message:
    """Return a step that answers with these blocks; usage defaults to 100 in, 20 out."""
    tools = any(block["type"] == "tool_use" for block in content)
    return Message(
        {
            "id": "msg_test",
            "type": "message",
            "role": "assistant",
            "model": "test",
            "content": list(content),
            "stop_reason": stop_reason or ("tool_use" if tools else "end_turn"),
            "stop_sequence": None,
            "usage": {"input_tokens": 100, "output_tokens": 20, **usage},
        }
    )


def text(said: str) -> dict[str, Any]:
    """Return a text block."""
    return {"type": "text", "text": said}


def call(tool: str, value: Any, identifier: str = "toolu_1") -> dict[str, Any]:
    """Return a tool_use block."""
    return {"type": "tool_use", "id": identifier, "name": tool, "input": value}


class MessagesServer:
    """The server. `url` is what `ANTHROPIC_BASE_URL` takes; `violations` should stay empty."""

    def __init__(self, steps: Iterable[Step] | Callable[[Body], Step]) -> None:
        self.requests: list[Recorded] = []
        self.violations: list[str] = []
        self.closing = threading.Event()
        self._lock = threading.Lock()
        self._next = steps if callable(steps) else _one_by_one(list(steps))
        self._http = _HTTPServer(("127.0.0.1", 0), _Handler)
        self._http.messages = self
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"

    @classmethod
    def from_script(cls, path: Path, context_of: Callable[[Body], CallContext]) -> Self:
        """Serve a script file; `context_of` says for whom a body is, which HTTP cannot."""
        playback = Playback(load(path))
        return cls(lambda body: _scripted(playback.next(context_of(body), body)))

    @property
    def count(self) -> int:
        """Requests so far."""
        return len(self.requests)

    def step_for(self, request: Recorded) -> Step:
        """Record a request and return what it gets."""
        with self._lock:
            self.requests.append(request)
            wrong = sdk_validation.problem(request.body)
            if wrong is not None:
                self.violations.append(wrong)
                return Status(400, f"not a valid request: {wrong}")
            return self._next(request.body)

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,))
        self._thread.start()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.closing.set()
        self._http.shutdown()
        self._thread.join()
        self._http.close_connections()
        self._http.server_close()


def _one_by_one(steps: list[Step]) -> Callable[[Body], Step]:
    left = iter(steps)
    return lambda _: next(left, Status(400, "the test has no step for another request"))


def _scripted(step: Answer | Fault | NoConversation) -> Step:
    if isinstance(step, Answer):
        return Message(step.message, delay_s=step.delay_s)
    if isinstance(step, NoConversation):
        return Status(404, step.message)
    if step.disconnect:
        return Reset()
    if step.body is not None:
        return Text(step.body)
    assert step.status is not None
    headers = {} if step.retry_after is None else {"retry-after": str(step.retry_after)}
    return Status(step.status, step.message or "the script failed", headers)


class _HTTPServer(ThreadingHTTPServer):
    daemon_threads = False
    messages: MessagesServer

    def __init__(self, *args: Any) -> None:
        self._open: set[socket.socket] = set()
        super().__init__(*args)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def close_connections(self) -> None:
        """Wake every handler that waits for another request on a kept connection."""
        for request in list(self._open):
            try:
                request.shutdown(socket.SHUT_RDWR)
            except OSError:  # closed in the meantime
                continue

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep quiet: clients of these tests hang up on purpose."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _HTTPServer

    def do_POST(self) -> None:
        arrived = time.monotonic()
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        route = next((match for route in _ROUTES if (match := route.match(self.path))), None)
        if route is None:
            self._send(Status(404, f"no such path: {self.path}"))
            return
        if "model" in route.groupdict():  # the clouds say the model in the path
            body = {"model": route["model"], **body}
            body.pop("anthropic_version")
        headers = {name.lower(): value for name, value in self.headers.items()}
        recorded = Recorded(arrived, self.path, headers, body)
        self._send(self.server.messages.step_for(recorded))

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the base class's name
        """Say nothing on stderr."""

    def _send(self, step: Step) -> None:
        closing = self.server.messages.closing
        match step:
            case Message():
                closing.wait(step.delay_s)
                headers = {"request-id": "req_test", **step.headers}
                self._whole(200, json.dumps(step.body), headers)
            case Status():
                error = json.dumps(error_body(step.status, step.message))
                self._whole(step.status, error if step.text is None else step.text, step.headers)
            case Text():
                self._whole(200, step.text, {"content-type": step.content_type})
            case Cut():
                self._partly(json.dumps(message(text("cut")).body), step.sent_bytes)
            case Drip():
                self._drip(json.dumps(message(text("slow")).body), step.interval_s)
            case Hang():
                closing.wait()
                self.close_connection = True
            case Reset():
                self.connection.setsockopt(
                    socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
                )
                self.connection.close()
                self.close_connection = True

    def _head(self, status: int, length: int, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in {"content-type": "application/json", **headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(length))
        self.end_headers()

    def _whole(self, status: int, content: str, headers: Mapping[str, str]) -> None:
        encoded = content.encode()
        self._head(status, len(encoded), headers)
        self.wfile.write(encoded)

    def _partly(self, content: str, sent_bytes: int) -> None:
        self._head(200, len(content), {})
        self.wfile.write(content[:sent_bytes].encode())
        self.close_connection = True

    def _drip(self, content: str, interval_s: float) -> None:
        self._head(200, len(content), {})
        for character in content:
            if self.server.messages.closing.wait(interval_s):
                break
            self.wfile.write(character.encode())
        self.close_connection = True
