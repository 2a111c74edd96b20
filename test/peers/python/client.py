"""POSTs to each address by aiohttp and prints an array of what came, as JSON: `client.py URL…`."""

import asyncio
import json
import sys
from typing import Any

import aiohttp
import row
import spans
import sse
import wire
from aiohttp import http_parser


def record(report: wire.Report | None) -> dict[str, Any] | None:
    return None if report is None else report.record()


async def call(session: aiohttp.ClientSession, url: str) -> dict[str, Any]:
    try:
        async with session.post(url, json={"input": []}) as reply:
            body = await reply.read()
    except aiohttp.ClientError as error:
        return {"refused": f"{type(error).__name__}: {error}"}
    values = reply.headers.getall(wire.HEADER, [])
    header = wire.read(values[0] if values else None)
    streamed = sse.report(body) if reply.content_type == "text/event-stream" else None
    answer = json.loads(body) if reply.content_type == "application/json" else body.decode()
    return {
        "status": reply.status,
        "body": answer,
        "values": values,
        "header": record(header),
        "streamed": record(streamed),
        "saved": row.report(answer).record() if isinstance(answer, dict) else None,
        "row": row.merged_into({"_ng_rollout_id": "r-1", "reward": 0.0}, header, streamed),
    }


async def main(urls: list[str]) -> None:
    tracer = spans.start()
    parser = "Python" if http_parser.HttpResponseParser is http_parser.HttpResponseParserPy else "C"
    calls = []
    async with aiohttp.ClientSession() as session:
        for url in urls:
            with tracer.start_as_current_span("collect") as span:
                trace = format(span.get_span_context().trace_id, "032x")
                calls.append({"trace": trace, **await call(session, url)})
    print(json.dumps({"aiohttp": aiohttp.__version__, "parser": parser, "calls": calls}))


asyncio.run(main(sys.argv[1:]))
