# SPDX-License-Identifier: BSD-2-Clause
"""tokio: its workers poll the sockets, and give the handler to a thread for blocking work, which wakes them."""

import os

from comparison import Explained
from harness import answers, free_port

from .case import CALLS, SAYS, SERVES, Served, program, ways_of

MANIFEST = """[package]
name = "tokio_server"
version = "0.1.0"
edition = "2021"
[[bin]]
name = "tokio_server"
path = "{source}"
[dependencies]
tokio = {{ version = "1", features = ["rt-multi-thread", "net", "io-util"] }}
[profile.dev]
debug = false
incremental = false
"""
# Debian's packages of crates, in place of the network.
CRATES = """[source.crates-io]
replace-with = "debian"
[source.debian]
directory = "/usr/share/cargo/registry"
"""


def build(stage):
    stage.write("Cargo.toml", MANIFEST.format(source=program("tokio_server.rs")))
    os.mkdir(stage.file(".cargo"))
    stage.write(".cargo/config.toml", CRATES)
    env = os.environ | {"PATH": "/usr/bin:/bin", "CARGO_HOME": os.path.join(stage.shared, "cargo")}
    folder = stage.build("tokio", "/usr/bin/cargo", "build", "--offline", "--target-dir", "OUT",
                         env=env, cwd=stage.folder)
    return os.path.join(folder, "debug", "tokio_server")


class Tokio(Served):
    key, program = "tokio", "tokio, handlers in spawn_blocking"
    calls = CALLS
    explained = {"service_ns": Explained("The worker wakes the handler's thread and is woken by it: two hand-offs are "
                                         "in the service.", 1, None)}

    def start(self, stage):
        self.port = free_port()
        return [stage.serve(build(stage), self.port, self.way, ready=lambda: answers(self.port)).pid]

    def address(self, stage):
        return self.port


NONE = Tokio("none", true="most of a call is the hand-offs between the worker and the thread for blocking work",
             says="|".join((SERVES, SAYS["none"])))
CASES = [NONE] + ways_of(Tokio, "spin", "sleep")
