"""How a server of these tests starts and ends: it prints its port, and ends when its input does."""

import socket
import sys
import threading
from collections.abc import Callable


def listen() -> socket.socket:
    return socket.create_server(("127.0.0.1", 0))


def tell_port(listener: socket.socket) -> None:
    print(listener.getsockname()[1], flush=True)


def at_end_of_input(end: Callable[[], None]) -> None:
    def wait() -> None:
        sys.stdin.read()
        end()

    threading.Thread(target=wait, daemon=True).start()
