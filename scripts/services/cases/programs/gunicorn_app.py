# SPDX-License-Identifier: BSD-2-Clause
"""A WSGI application with a planted handler: the way is in the environment."""

import os

import work

handle = work.handler(os.environ["WAY"])


def app(_, start_response):
    handle()
    start_response("200 OK", [("Content-Length", "5")])
    return [b"here\n"]
