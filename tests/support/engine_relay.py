"""A socket between a client and the container engine, which can be made to vanish or to stall.

It stands in for an engine that is stopped or hangs in the middle of a run; what passes is real.
"""

import contextlib
import selectors
import socket
import threading
from pathlib import Path

ENGINE_SOCKET = "/var/run/docker.sock"
_POLL_SECONDS = 0.2


class EngineRelay:
    """Listens on `path` and passes every connection on to the engine."""

    def __init__(self, path: Path) -> None:
        self.address = f"unix://{path}"
        self._path = path
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen(64)
        self._gone = threading.Event()
        self._stalled = threading.Event()
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def vanish(self) -> None:
        """End every connection, and take no new one."""
        self._gone.set()
        self._path.unlink(missing_ok=True)
        for thread in list(self._threads):
            thread.join()

    def stall(self) -> None:
        """Pass nothing on any more, but keep connections open."""
        self._stalled.set()

    def _accept(self) -> None:
        with self._listener:
            self._listener.settimeout(_POLL_SECONDS)
            while not self._gone.is_set():
                with contextlib.suppress(TimeoutError):
                    client, _ = self._listener.accept()
                    thread = threading.Thread(target=self._pass_on, args=(client,))
                    self._threads.append(thread)
                    thread.start()

    def _pass_on(self, client: socket.socket) -> None:
        with (
            client,
            socket.socket(socket.AF_UNIX) as engine,
            selectors.DefaultSelector() as selector,
        ):
            engine.connect(ENGINE_SOCKET)
            selector.register(client, selectors.EVENT_READ, engine)
            selector.register(engine, selectors.EVENT_READ, client)
            while not self._gone.is_set():
                for key, _ in selector.select(_POLL_SECONDS):
                    source = key.fileobj
                    assert isinstance(source, socket.socket)
                    if self._stalled.is_set():
                        self._gone.wait()
                        return
                    data = source.recv(64 * 1024)
                    if not data:
                        return
                    key.data.sendall(data)
