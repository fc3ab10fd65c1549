# SPDX-License-Identifier: BSD-2-Clause
"""A gRPC server with a planted handler, without generated code: grpc_server.py PATH WAY"""

import concurrent.futures
import sys

import grpc
import work

path, way = sys.argv[1:]
handle = work.handler(way)


def ask(request, _):
    handle()
    return request


server = grpc.server(concurrent.futures.ThreadPoolExecutor(4))
server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler(
    "Planted", {"Ask": grpc.unary_unary_rpc_method_handler(ask)})])
server.add_insecure_port("unix:" + path)
server.start()
server.wait_for_termination()
