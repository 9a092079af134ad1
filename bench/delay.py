#!/usr/bin/env python3
"""bench/delay.py MS LISTEN:TO…: relays TCP connections on loopback; every byte arrives MS milliseconds later.

For networks between hosts that are far apart, on a kernel that cannot delay packets itself.
"""
import asyncio
import sys


async def pipe(reader, writer, delay):
    loop = asyncio.get_running_loop()
    queue = asyncio.Queue(maxsize=1024)

    async def write():
        while (item := await queue.get()) is not None:
            due, data = item
            if (wait := due - loop.time()) > 0:
                await asyncio.sleep(wait)
            writer.write(data)
            await writer.drain()
        writer.close()

    writing = asyncio.create_task(write())
    try:
        while data := await reader.read(1 << 18):
            await queue.put((loop.time() + delay, data))
    except ConnectionError:
        pass
    await queue.put(None)
    try:
        await writing
    except ConnectionError:
        pass


async def serve(listen, to, delay):
    async def connected(reader, writer):
        try:
            there_reader, there_writer = await asyncio.open_connection("127.0.0.1", to)
        except OSError:
            writer.close()
            return
        await asyncio.gather(pipe(reader, there_writer, delay), pipe(there_reader, writer, delay))

    server = await asyncio.start_server(connected, "127.0.0.1", listen)
    async with server:
        await server.serve_forever()


async def main():
    delay = float(sys.argv[1]) / 1000
    pairs = [tuple(map(int, arg.split(":"))) for arg in sys.argv[2:]]
    await asyncio.gather(*(serve(listen, to, delay) for listen, to in pairs))


asyncio.run(main())
