# SPDX-License-Identifier: BSD-2-Clause
"""An echo of asyncio, whose planted handler works in a thread of a pool: asyncio_server.py PORT WAY"""

import asyncio
import socket
import sys

import work


async def main():
    port, way = sys.argv[1:]
    handle = work.handler(way)

    async def serve(reader, writer):
        writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while request := await reader.read(64):
            await asyncio.to_thread(handle)
            writer.write(request)
        writer.close()

    async with await asyncio.start_server(serve, "127.0.0.1", int(port)) as server:
        await server.serve_forever()


asyncio.run(main())
