"""A Gym server in FastAPI that keeps the contract on its own. Prints its port; ends when its input does."""

import json
import os
import socket
import sys
import threading
from collections.abc import AsyncIterator

import aiohttp
import spans
import uvicorn
import wire
from fastapi import FastAPI, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse
from opentelemetry.instrumentation.fastapi import FastAPIInstrumentor

spans.start()
app = FastAPI()
if "SPANS" in os.environ:
    FastAPIInstrumentor.instrument_app(app)

PLAIN = {
    "event_id": "0123456789abcdef0123456789abcdef",
    "boundary": "model",
    "failure_kind": "provider_unavailable",
    "failure_reason": "Überlast \u007f \u2028 \U0001f525",
}


def reply(status: int, body: object, report: wire.Report) -> Response:
    value = wire.write(report)
    return JSONResponse(body, status, {} if value is None else {wire.HEADER: value})


@app.post("/ng-rollout/{rollout}/v1/responses")
async def model(rollout: str) -> Response:
    failure = wire.event("model", "provider_quota_exhausted", "Der Anbieter gibt nichts mehr", http_status=429)
    return reply(500, "Internal Server Error", wire.Report(failure_id=failure.event_id, events={failure.event_id: failure}))


@app.post("/ng-rollout/{rollout}/run")
async def agent(rollout: str, upstream: str) -> Response:
    async with aiohttp.ClientSession() as session, session.post(upstream, json={}) as answer:
        await answer.read()
    below = wire.read(answer.headers.get(wire.HEADER)) or wire.Report()
    if answer.status < 400:
        return reply(200, {"reward": 1.0}, wire.Report(events=below.events, omitted=below.omitted))
    own = wire.event("agent", "agent_run_error", "The agent's model failed", operation="run", cause_id=below.failure_id)
    report = wire.Report(failure_id=own.event_id, events={own.event_id: own, **below.events}, omitted=below.omitted)
    return reply(500, "Internal Server Error", report)


def odd(how: str) -> str:
    """A header as Python code may write it."""
    details = {"how": how}
    if how == "nan":
        details["waited"] = float("nan")
    if how == "bigint":
        details["tokens"] = 2**70
    event = {**PLAIN, "details": details}
    if how == "order":
        event = dict(reversed(event.items()))
    if how == "nulls":
        event.update(stage=None, http_status=None, foreign_error=None)
    report = {"failure_id": event["event_id"], "events": {event["event_id"]: event}}
    return json.dumps(report, indent=0).replace("\n", " ") if how == "indent" else json.dumps(report)


@app.post("/odd/{how}")
async def odd_reply(how: str) -> Response:
    return JSONResponse("Internal Server Error", 500, {wire.HEADER: odd(how)})


@app.post("/stream")
async def stream() -> Response:
    failure = wire.event("model", "transport_peer_drop", "Die Verbindung riß ab")
    report = wire.Report(failure_id=failure.event_id, events={failure.event_id: failure})

    async def events() -> AsyncIterator[str]:
        for delta in ("Grü", "ße 🔥"):
            yield "data: " + json.dumps({"type": "response.output_text.delta", "delta": delta}) + "\n\n"
        yield "data: " + json.dumps({"type": "response.failed", wire.FIELD: report.record()}) + "\n\n"

    return StreamingResponse(events(), media_type="text/event-stream")


@app.post("/relay")
async def relay(request: Request, upstream: str) -> Response:
    async def pieces() -> AsyncIterator[bytes]:
        async with aiohttp.ClientSession() as session, session.post(upstream, json={}) as answer:
            async for piece in answer.content.iter_any():
                yield piece

    return StreamingResponse(pieces(), media_type="text/event-stream")


def main() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))

    def until_input_ends() -> None:
        sys.stdin.read()
        server.should_exit = True

    threading.Thread(target=until_input_ends, daemon=True).start()
    print(listener.getsockname()[1], flush=True)
    server.run(sockets=[listener])


main()
