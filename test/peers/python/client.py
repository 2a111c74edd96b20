"""POSTs to one address by aiohttp and prints what came, as JSON: `client.py URL`."""

import asyncio
import json
import sys

import aiohttp
import spans
import wire


async def main(url: str) -> None:
    with spans.start().start_as_current_span("collect"):
        async with aiohttp.ClientSession() as session, session.post(url, json={"input": []}) as reply:
            body = await reply.text()
    values = reply.headers.getall(wire.HEADER, [])
    header = wire.read(values[0] if values else None)
    streamed = wire.stream_report(body) if reply.content_type == "text/event-stream" else None
    answer = json.loads(body) if reply.content_type == "application/json" else body
    report = wire.Report().merged(header).merged(streamed)
    print(
        json.dumps(
            {
                "aiohttp": aiohttp.__version__,
                "status": reply.status,
                "body": answer,
                "values": values,
                "header": header.record() if header else None,
                "streamed": streamed.record() if streamed else None,
                "saved": wire.Row.model_validate(answer).report().record() if isinstance(answer, dict) else None,
                "row": {"_ng_rollout_id": "r-python", "reward": 0.0, **wire.row_fields(report)},
            }
        )
    )


asyncio.run(main(sys.argv[1]))
