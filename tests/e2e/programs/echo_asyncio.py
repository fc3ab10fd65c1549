# SPDX-License-Identifier: BSD-2-Clause
"""An echo server and its client in asyncio.

    echo_asyncio.py serve PATH
    echo_asyncio.py call PATH CONNECTIONS CALLS

A request and its answer are 64 bytes.
"""

import asyncio
import sys

UNIT = 64


async def answer(reader, writer):
    """One connection, until its other end is closed."""
    while True:
        try:
            writer.write(await reader.readexactly(UNIT))
        except asyncio.IncompleteReadError:
            writer.close()
            return


async def serve(path):
    """Until it is killed."""
    server = await asyncio.start_unix_server(answer, path)
    await server.serve_forever()


async def call(path, calls):
    """One connection."""
    reader, writer = await asyncio.open_unix_connection(path)
    for _ in range(calls):
        writer.write(bytes(UNIT))
        await reader.readexactly(UNIT)
    writer.close()
    await writer.wait_closed()


async def call_all(path, connections, calls):
    """All at once."""
    await asyncio.gather(*(call(path, calls) for _ in range(connections)))


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        asyncio.run(serve(sys.argv[2]))
    else:
        asyncio.run(call_all(sys.argv[2], *map(int, sys.argv[3:])))
