"""A Gym server on FastAPI that keeps the contract on its own."""

import asyncio
import os
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import ending
import replies
import row
import spans
import sse
import uvicorn
import wire
from fastapi import FastAPI, Response
from fastapi.responses import JSONResponse, StreamingResponse
from opentelemetry.instrumentation.fastapi import FastAPIInstrumentor

spans.start()
app = FastAPI()
if "SPANS" in os.environ:
    FastAPIInstrumentor.instrument_app(app)

ERROR = "Internal Server Error"
raised: list[wire.Event] = []


def raise_(*facts: str, **more: Any) -> wire.Event:
    event = wire.event(*facts, **more)
    raised.append(event)
    return event


def reply(status: int, body: object, report: wire.Report) -> Response:
    value = wire.write(report)
    return JSONResponse(body, status, {} if value is None else {wire.HEADER: value})


async def post(url: str) -> tuple[aiohttp.ClientResponse, bytes]:
    async with aiohttp.ClientSession() as session, session.post(url, json={}) as answer:
        return answer, await answer.read()


@app.post("/raised")
async def all_raised() -> Response:
    return JSONResponse([wire.event_record(event) for event in raised])


@app.post("/ng-rollout/{rollout}/v1/responses")
async def model(rollout: str) -> Response:
    own = raise_("model", "provider_quota_exhausted", "Der Anbieter gibt nichts mehr 🔥", http_status=429)
    return reply(500, ERROR, wire.Report(failure_id=own.event_id, events={own.event_id: own}))


@app.post("/ng-rollout/{rollout}/run")
async def agent(rollout: str, upstream: str) -> Response:
    answer, _ = await post(upstream)
    below = wire.read(answer.headers.get(wire.HEADER)) or wire.Report()
    if answer.status < 400:
        return reply(200, {"reward": 1.0}, wire.Report(events=below.events, omitted=below.omitted))
    own = raise_("agent", "agent_run_error", "The agent's model failed", operation="run", cause_id=below.failure_id)
    return reply(500, ERROR, wire.Report(failure_id=own.event_id, events={own.event_id: own, **below.events}, omitted=below.omitted))


@app.post("/ng-rollout/{rollout}/row")
async def collector(rollout: str, upstream: str) -> Response:
    """The row that would be saved."""
    answer, body = await post(upstream)
    streamed = sse.report(body) if answer.content_type == "text/event-stream" else None
    header = wire.read(answer.headers.get(wire.HEADER))
    return JSONResponse(row.merged_into({"_ng_rollout_id": rollout, "reward": 0.0}, header, streamed))


@app.post("/bare")
async def bare() -> Response:
    """A route that raises, without anything of the contract."""
    raise RuntimeError("der Grund steht nirgends")


@app.post("/header/{how}")
async def header(how: str) -> Response:
    return JSONResponse(ERROR, 500, {wire.HEADER: replies.header(how)})


@app.post("/twice")
async def twice() -> Response:
    answer = JSONResponse(ERROR, 500)
    for report in (replies.failure("eins"), replies.failure("zwei")):
        answer.headers.append(wire.HEADER, wire.write(report) or "")
    return answer


@app.post("/stream/{how}")
async def stream(how: str) -> Response:
    async def pieces() -> AsyncIterator[bytes]:
        for piece in replies.stream(how):
            yield piece
            await asyncio.sleep(0)

    return StreamingResponse(pieces(), media_type="text/event-stream")


@app.post("/relay")
async def relay(upstream: str) -> Response:
    async def pieces() -> AsyncIterator[bytes]:
        async with aiohttp.ClientSession() as session, session.post(upstream, json={}) as answer:
            async for piece in answer.content.iter_any():
                yield piece

    return StreamingResponse(pieces(), media_type="text/event-stream")


def main() -> None:
    listener = ending.listen()
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical"))

    def end() -> None:
        server.should_exit = True

    ending.at_end_of_input(end)
    ending.tell_port(listener)
    server.run(sockets=[listener])


main()
