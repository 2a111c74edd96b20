"""The report of a whole event stream, read line by line from its bytes."""

import re
from typing import Any

import wire

LIMIT = 1 << 20
NAME = b'"' + wire.FIELD.encode() + b'"'
TERMINAL = {"response.completed", "response.incomplete", "response.failed", "error", "message_stop"}


def data_of(line: bytes) -> bytes | None:
    """The value of a `data` line, without its one space."""
    name, _, value = line.partition(b":")
    return value.removeprefix(b" ") if name == b"data" else None


def carried(payload: Any) -> Any:
    """What a terminal event carries in the field."""
    if not isinstance(payload, dict):
        return None
    kind = payload.get("type")
    if isinstance(kind, str) and kind not in TERMINAL:
        return None
    if payload.get(wire.FIELD) is not None:
        return payload[wire.FIELD]
    nested = payload.get("response")
    return nested.get(wire.FIELD) if isinstance(nested, dict) else None


def of_event(lines: list[bytes], model: type[wire.Report], limit: int) -> list[wire.Report | None]:
    joined = b"\n".join(lines)
    if NAME not in joined:
        return []
    if len(joined) > limit:
        return [model(omitted=True)]
    try:
        return [wire.read(carried(wire.loads(joined.decode(), model)), model)]
    except ValueError:
        if len(lines) == 1:
            return [model(omitted=True)]
        return [report for line in lines for report in of_event([line], model, limit)]


def report(body: bytes, model: type[wire.Report] = wire.Report, limit: int = LIMIT) -> wire.Report | None:
    *complete, last = re.split(rb"\r\n|\n|\r", body.removeprefix(b"\xef\xbb\xbf"))
    cut_off = data_of(last)
    if cut_off is not None and len(cut_off) > limit and NAME in cut_off:
        complete.append(last)
    found: list[wire.Report | None] = []
    lines: list[bytes] = []
    for line in [*complete, b""]:
        if line == b"":
            found += of_event(lines, model, limit)
            lines = []
        elif (value := data_of(line)) is not None:
            lines.append(value)
    reports = [one for one in found if one is not None]
    return reports[0].merged(*reports[1:]) if reports else None
