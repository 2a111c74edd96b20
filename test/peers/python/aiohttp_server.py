"""The same replies by aiohttp's own server, which writes the header's name as it is given."""

import asyncio

import ending
import replies
import wire
from aiohttp import web


async def header(request: web.Request) -> web.Response:
    value = replies.header(request.match_info["how"])
    return web.json_response("Internal Server Error", status=500, headers={wire.HEADER: value})


async def stream(request: web.Request) -> web.StreamResponse:
    answer = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await answer.prepare(request)
    for piece in replies.stream(request.match_info["how"]):
        await answer.write(piece)
    await answer.write_eof()
    return answer


async def main() -> None:
    app = web.Application()
    app.add_routes([web.post("/header/{how}", header), web.post("/stream/{how}", stream)])
    runner = web.AppRunner(app)
    await runner.setup()
    listener = ending.listen()
    await web.SockSite(runner, listener).start()
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    ending.at_end_of_input(lambda: loop.call_soon_threadsafe(ended.set))
    ending.tell_port(listener)
    await ended.wait()
    await runner.cleanup()


asyncio.run(main())
