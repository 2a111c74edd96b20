"""What Python code may write: headers and event streams, as lists of pieces."""

import json
from collections.abc import Iterator
from typing import Any

import wire

ID = "0123456789abcdef0123456789abcdef"
PLAIN = {
    "event_id": ID,
    "boundary": "model",
    "failure_kind": "provider_unavailable",
    "failure_reason": "Überlast \u007f \u2028 \U0001f525",
}
DETAILS: dict[str, dict[str, Any]] = {
    "nan": {"waited": float("nan")},
    "infinity": {"waited": float("-inf")},
    "bigint": {"tokens": 2**70, "at_ns": 2**53 + 1},
    "float": {"retry_after_s": 1.0, "tiny": 5e-324, "zero": -0.0, "huge": 1e22},
    "surrogate": {"cut": "\ud83d"},
    "long": {"log": "é" * 2500},
}


def header(how: str) -> str:
    event: dict[str, Any] = {**PLAIN, "details": {"how": how, **DETAILS.get(how, {})}}
    if how == "order":
        event = dict(reversed(event.items()))
    if how == "nulls":
        event.update(stage=None, http_status=None, foreign_error=None, shard=None)
    if how == "newer":
        event.update(shard=7, failure_kind="gpu_on_fire")
    report = {"failure_id": ID, "events": {ID: event}, "omitted": False}
    if how == "sorted":
        return json.dumps(report, sort_keys=True)
    if how == "compact":
        return json.dumps(report, separators=wire.COMPACT)
    if how == "indent":
        return json.dumps(report, indent=1).replace("\n", " ")
    return json.dumps(report)


def failure(reason: str = "Die Verbindung riß ab") -> wire.Report:
    event = wire.event("model", "transport_peer_drop", reason)
    return wire.Report(failure_id=event.event_id, events={event.event_id: event})


def terminal(how: str) -> dict[str, Any]:
    """A stream's last event, in the dialect that is asked for."""
    report = failure("🔥" * 2000 if how == "long" else "Die Verbindung riß ab").record()
    if how == "chat":
        return {"choices": [], wire.FIELD: report}
    if how == "messages":
        return {"type": "message_stop", wire.FIELD: report}
    if how == "nested":
        return {"type": "response.completed", "response": {"id": "r", wire.FIELD: report}}
    return {"type": "response.failed", "response": {"status": "failed"}, wire.FIELD: report}


def stream(how: str) -> Iterator[bytes]:
    """An event stream. Some of them come in pieces that keep to no line and no character."""
    end = {"crlf": "\r\n", "cr": "\r"}.get(how, "\n")
    lines = [f": ping - 2026-11-30{end}{end}", f"retry: 15000{end}"]
    for delta in ("Grü", "ße 🔥"):
        payload = {"type": "response.output_text.delta", "delta": delta}
        lines.append(f"event: {payload['type']}{end}data: {json.dumps(payload, ensure_ascii=False)}{end}{end}")
    lines.append(f"data: {json.dumps(terminal(how), ensure_ascii=how != 'utf8')}{end}{end}")
    body = "".join(lines).encode()
    size = 7 if how in ("crlf", "cr", "utf8") else len(body)
    return (body[at : at + size] for at in range(0, len(body), size))
