# SPDX-License-Identifier: BSD-2-Clause
"""What an attach found at its end, if it saw no message, or if no target was left."""

import socket
import subprocess
import sys

import attach
import harness
import tap

# A server that is killed is started anew.
SERVER = """
import socket, sys
if len(sys.argv) > 2:
    print("waits", flush=True)
    sys.stdin.readline()
server = socket.socket()
server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
server.bind(("127.0.0.1", int(sys.argv[1])))
server.listen()
print("ready", flush=True)
clients = []
while True:
    clients.append(server.accept()[0])
"""


class Found(attach.AttachCase):
    """A server that does not use its channels."""

    def start_server(self, port):
        server = self.spawn([sys.executable, "-c", SERVER, port])
        self.ready(server)
        return server

    def free_port(self):
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            return one.getsockname()[1]

    def test_restarted(self):
        """no target is left, and another process has its port: stderr and the report name it"""
        port = self.free_port()
        server = self.start_server(port)
        # ipctrace looks for it for a second. On a busy machine, an interpreter may need longer to start.
        heir = self.spawn([sys.executable, "-c", SERVER, port, "later"], stdin=subprocess.PIPE)
        self.assertEqual(heir.stdout.readline(), "waits\n")
        with self.attached("-p", server.pid, stop=False) as attachment:
            attach.discard(server)
            self.go(heir)
            self.ready(heir)
        found, name = attachment.summary["found"], f"127.0.0.1:{port}"
        self.assertEqual((found["targets"], found["name"], found["transport"]), (0, name, "tcp"))
        self.assertEqual(found["now"]["pid"], heir.pid)
        self.assertIn(f"(pid {heir.pid}) has '{name}' now", "".join(attachment.err))
        text = " ".join(harness.ipctrace("report", attachment.recording).out.split())
        self.assertRegex(text, rf"No target is left, and python3\S* \(pid {heir.pid}\) has {name} now\.")
        attach.discard(heir)

    def test_not_restarted(self):
        """no target is left, and no process has its port"""
        port = self.free_port()
        server = self.start_server(port)
        with self.attached("-p", server.pid, stop=False) as attachment:
            attach.discard(server)
        self.assertIsNone(attachment.summary["found"]["now"])
        text = " ".join(harness.ipctrace("report", attachment.recording).out.split())
        self.assertIn(f"No target is left, and no process has 127.0.0.1:{port} now.", text)

    def test_idle(self):
        """no message was seen: the report says which channels were open"""
        port = self.free_port()
        server = self.start_server(port)
        clients = [socket.create_connection(("127.0.0.1", port)) for _ in range(3)]
        with self.attached("-p", server.pid) as attachment:
            pass
        for client in clients:
            client.close()
        attach.discard(server)
        found = attachment.summary["found"]
        # Its stdout and stderr are pipes to the test.
        self.assertGreaterEqual(found["connections"], 3)
        self.assertEqual((found["targets"], found["services"], found["elsewhere"], found["now"]), (1, 1, 0, None))
        text = " ".join(harness.ipctrace("report", attachment.recording).out.split())
        self.assertIn(f"local channels open and can be reached at 127.0.0.1:{port}: nothing came over them.", text)


if __name__ == "__main__":
    tap.main()
