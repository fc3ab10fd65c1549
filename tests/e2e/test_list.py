# SPDX-License-Identifier: BSD-2-Clause
"""`ipctrace list` against channels that are made here: exact pids, names, inodes and states.

Other programs have channels too, and come and go: a test looks only for what it has made.
"""

import contextlib
import ctypes
import fcntl
import json
import os
import pty
import shlex
import socket
import struct
import subprocess
import sys
import termios
import uuid

import harness
import tap

# What a peer runs: its name, the code of the test, then prints `found` as JSON.
PEER = """
import ctypes, json, os, socket, sys
with open("/proc/self/comm", "w") as comm:
    comm.write(sys.argv[1])
found = {}
def keep(*things):
    KEPT.extend(things)
KEPT = []
exec(sys.argv[2])
print(json.dumps(found), flush=True)
sys.stdin.read()
"""


class Peer:
    """A process of its own that holds what `code` makes, until it is ended."""

    def __init__(self, name, code, *command, pass_fds=()):
        self.process = subprocess.Popen(
            [*command, sys.executable, "-c", PEER, name, code], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, pass_fds=pass_fds, env=harness.environment())
        self.name = name
        self.found = json.loads(self.process.stdout.readline() or "null")
        self.pid = self.process.pid
        if self.found is None:
            self.end()
            raise AssertionError(f"{name} did not come up, status {self.process.returncode}")

    def owner(self):
        return {"pid": self.pid, "comm": self.name}

    def end(self):
        self.process.communicate()


def inode_of(thing):
    return os.fstat(thing.fileno() if hasattr(thing, "fileno") else thing).st_ino


def bound(path, kind=socket.SOCK_STREAM, family=socket.AF_UNIX, backlog=8):
    """A bound socket, which listens unless it takes datagrams."""
    made = socket.socket(family, kind)
    made.bind(path)
    if kind != socket.SOCK_DGRAM:
        made.listen(backlog)
    return made


def connected(path, kind=socket.SOCK_STREAM, family=socket.AF_UNIX):
    made = socket.socket(family, kind)
    made.connect(path)
    return made


class List(harness.TestCase):
    """Makes channels, lists, and finds them again."""

    def setUp(self):
        self.stack = contextlib.ExitStack()
        self.addCleanup(self.stack.close)
        with open("/proc/self/comm", encoding="utf-8") as comm:
            self.owner = {"pid": os.getpid(), "comm": comm.read().rstrip("\n")}

    def keep(self, thing):
        """Closed, or ended, after the test."""
        if isinstance(thing, Peer):
            self.stack.callback(thing.end)
        else:
            self.stack.enter_context(contextlib.closing(thing))
        return thing

    def peer(self, name, code, *command, pass_fds=()):
        return self.keep(Peer(name, code, *command, pass_fds=pass_fds))

    def path(self, name=None):
        return self.file(name or uuid.uuid4().hex)

    def list(self, *options, uid=None):
        """The JSON object; what is missing on this machine is no matter of these tests."""
        result = harness.ipctrace("list", "-q", "-f", "json", *options, uid=uid)
        self.assertEqual((result.status, result.err), (0, ""))
        listed = result.json()
        self.assertEqual(listed["schema"], "ipctrace.list/1")
        return listed

    def connections(self, inode, *options, uid=None):
        """All connections with such an end."""
        return [c for c in self.list(*options, uid=uid)["connections"]
                if any(end and end["inode"] == inode for end in (c["from"], c["to"]))]

    def connection(self, inode, *options, uid=None):
        found = self.connections(inode, *options, uid=uid)
        self.assertEqual(len(found), 1, f"connections of {inode}: {found}")
        return found[0]

    def service(self, inode, *options, uid=None):
        found = [s for s in self.list(*options, uid=uid)["services"] if s["inode"] == inode]
        self.assertEqual(len(found), 1, f"services of {inode}: {found}")
        return found[0]

    def check(self, connection, transport, name, state, begin, end):
        """`begin` and `end` are (inode, owner) or None."""
        self.assertEqual((connection["transport"], connection["name"], connection["state"]),
                         (transport, name, state), connection)
        for got, expected in ((connection["from"], begin), (connection["to"], end)):
            got = got and (got["inode"], got["owner"])
            self.assertEqual(got, expected, connection)

    def end_of(self, thing):
        return (inode_of(thing), self.owner)


class Unix(List):
    """Unix sockets."""

    SERVER = """
s = socket.socket(socket.AF_UNIX, socket.{kind})
s.bind({path!r})
s.listen()
c = socket.socket(socket.AF_UNIX, socket.{kind})
found = dict(listener=os.fstat(s.fileno()).st_ino)
keep(s)
if {accept}:
    print(json.dumps(found), flush=True)
    a, _ = s.accept()
    keep(a)
    found = dict(accepted=os.fstat(a.fileno()).st_ino)
"""

    def serve(self, path, kind="SOCK_STREAM", accept=True):
        return self.peer("list-server", self.SERVER.format(path=path, kind=kind, accept=accept))

    def check_connected(self, kind, transport, path, name):
        server = self.serve(path, kind)
        client = self.keep(connected(path, getattr(socket, kind)))
        accepted = json.loads(server.process.stdout.readline())["accepted"]
        self.check(self.connection(inode_of(client)), transport, name, "open",
                   self.end_of(client), (accepted, server.owner()))
        service = self.service(server.found["listener"])
        self.assertEqual((service["transport"], service["name"], service["owner"],
                          service["owners"], service["waiting"], service["attach"]),
                         (transport, name, server.owner(), 1, 0, ["--unix", name]))

    def test_stream(self):
        """a stream's client, its server by the socket's path, and how to attach"""
        path = self.path("a socket")
        self.check_connected("SOCK_STREAM", "uds-stream", path, path)

    def test_seqpacket(self):
        """a connection by an abstract name"""
        name = f"ipctrace test {uuid.uuid4().hex}"
        self.check_connected("SOCK_SEQPACKET", "uds-seqpacket", "\0" + name, "@" + name)

    def test_not_accepted(self):
        """a connection that waits is one to the listener, which says how many wait"""
        path = self.path()
        server = self.serve(path, accept=False)
        listener = (server.found["listener"], server.owner())
        for _ in range(2):
            client = self.keep(connected(path))
            self.check(self.connection(inode_of(client)), "uds-stream", path, "not_accepted",
                       self.end_of(client), listener)
        self.assertEqual(self.service(listener[0])["waiting"], 2)

    def test_peer_gone(self):
        """a connection whose peer has closed its end keeps its own end and its name"""
        path = self.path()
        listener = self.keep(bound(path))
        client = connected(path)
        accepted = self.keep(listener.accept()[0])
        client.close()
        self.check(self.connection(inode_of(accepted)), "uds-stream", path, "peer_gone",
                   None, self.end_of(accepted))

    def test_half_closed(self):
        """one direction shut down"""
        path = self.path()
        listener = self.keep(bound(path))
        client = self.keep(connected(path))
        accepted = self.keep(listener.accept()[0])
        client.shutdown(socket.SHUT_WR)
        self.check(self.connection(inode_of(client)), "uds-stream", path, "half_closed",
                   self.end_of(client), self.end_of(accepted))

    def test_pair(self):
        """a socket pair has no name, and both of its ends may be one process's"""
        for kind, transport in ((socket.SOCK_STREAM, "uds-stream"), (socket.SOCK_DGRAM, "uds"),
                                (socket.SOCK_SEQPACKET, "uds-seqpacket")):
            pair = [self.keep(end) for end in socket.socketpair(socket.AF_UNIX, kind)]
            begin, end = sorted(pair, key=inode_of)
            self.check(self.connection(inode_of(begin)), transport, None, "open",
                       self.end_of(begin), self.end_of(end))

    def test_datagram(self):
        """several senders to one socket, which is not connected back"""
        path = self.path()
        server = self.keep(bound(path, socket.SOCK_DGRAM))
        clients = [self.keep(connected(path, socket.SOCK_DGRAM)) for _ in range(2)]
        self.assertEqual(len(self.connections(inode_of(server))), 2)
        for client in clients:
            self.check(self.connection(inode_of(client)), "uds", path, "open",
                       self.end_of(client), self.end_of(server))
        service = self.service(inode_of(server))
        self.assertEqual((service["waiting"], service["attach"]), (None, ["--unix", path]))

    def test_two_owners(self):
        """a socket of two processes: the first, and how many there are"""
        pair = [self.keep(end) for end in socket.socketpair()]
        heir = self.peer("list-heir", "", pass_fds=[pair[0].fileno()])
        connection = self.connection(inode_of(pair[0]))
        both, one = sorted((connection["from"], connection["to"]),
                           key=lambda end: end["inode"] != inode_of(pair[0]))
        self.assertEqual((both["owners"], one["owners"], one["owner"]), (2, 1, self.owner))
        self.assertIn(both["owner"], (self.owner, heir.owner()))

    def test_names(self):
        """names that are awkward: attached to by name if an argument can hold it, else by pid"""
        pid = ["-p", str(os.getpid())]
        for raw, name, attach in (
                (b"tab\there", "tab\there", None),
                ("ümlaut".encode(), "ümlaut", None),
                (b"bad\xff", "bad\\377", pid)):
            folder = self.path()
            os.mkdir(folder)
            server = self.keep(bound(os.path.join(folder.encode(), raw)))
            service = self.service(inode_of(server))
            name = os.path.join(folder, name)
            self.assertEqual((service["name"], service["attach"]),
                             (name, attach or ["--unix", name]))
        server = self.keep(bound(b"\0ipctrace\0" + uuid.uuid4().hex.encode()))
        service = self.service(inode_of(server))
        self.assertEqual((service["name"][:10], service["attach"]), ("@ipctrace@", pid))


class Inet(List):
    """TCP and UDP."""

    def tcp(self, host="127.0.0.1", family=socket.AF_INET):
        listener = self.keep(bound((host, 0), socket.SOCK_STREAM, family))
        return listener, listener.getsockname()[1]

    def test_tcp(self):
        """client and server of a connection, and its listener's port"""
        for host, family, transport, shown in (
                ("127.0.0.1", socket.AF_INET, "tcp", "127.0.0.1"),
                ("::1", socket.AF_INET6, "tcp6", "[::1]")):
            listener, port = self.tcp(host, family)
            client = self.peer("list-client", f"""
c = socket.socket(socket.{family.name}, socket.SOCK_STREAM)
c.connect(({host!r}, {port}))
keep(c)
found = dict(inode=os.fstat(c.fileno()).st_ino, port=c.getsockname()[1])
""")
            accepted = self.keep(listener.accept()[0])
            connection = self.connection(client.found["inode"])
            self.check(connection, transport, f"{shown}:{port}", "open",
                       (client.found["inode"], client.owner()), self.end_of(accepted))
            self.assertEqual(connection["from"]["name"], f"{shown}:{client.found['port']}")
            service = self.service(inode_of(listener))
            self.assertEqual((service["transport"], service["name"], service["attach"],
                              service["owner"]),
                             (transport, f"{shown}:{port}", ["--port", str(port)], self.owner))

    def test_mapped(self):
        """a listener of IPv6 serves a client of IPv4"""
        listener, port = self.tcp("::", socket.AF_INET6)
        client = self.keep(connected(("127.0.0.1", port), family=socket.AF_INET))
        accepted = self.keep(listener.accept()[0])
        self.check(self.connection(inode_of(client)), "tcp", f"127.0.0.1:{port}", "open",
                   self.end_of(client), self.end_of(accepted))
        self.assertEqual(self.service(inode_of(listener))["name"], f"[::]:{port}")

    def test_not_accepted(self):
        """waits for its listener"""
        listener, port = self.tcp()
        client = self.keep(connected(("127.0.0.1", port), family=socket.AF_INET))
        self.check(self.connection(inode_of(client)), "tcp", f"127.0.0.1:{port}", "not_accepted",
                   self.end_of(client), self.end_of(listener))
        self.assertEqual(self.service(inode_of(listener))["waiting"], 1)

    def test_half_closed_and_gone(self):
        """the client says that no more will come, then goes away"""
        listener, port = self.tcp()
        client = self.keep(connected(("127.0.0.1", port), family=socket.AF_INET))
        accepted = self.keep(listener.accept()[0])
        client.shutdown(socket.SHUT_WR)
        self.check(self.connection(inode_of(client)), "tcp", f"127.0.0.1:{port}", "half_closed",
                   self.end_of(client), self.end_of(accepted))
        client.close()
        self.check(self.connection(inode_of(accepted)), "tcp", f"127.0.0.1:{port}", "peer_gone",
                   None, self.end_of(accepted))

    def test_udp(self):
        """to a bound socket, and between two that are connected to each other"""
        for family, host, transport, shown in ((socket.AF_INET, "127.0.0.1", "udp", "127.0.0.1"),
                                               (socket.AF_INET6, "::1", "udp6", "[::1]")):
            server = self.keep(bound((host, 0), socket.SOCK_DGRAM, family))
            port = server.getsockname()[1]
            client = self.keep(connected((host, port), socket.SOCK_DGRAM, family))
            self.check(self.connection(inode_of(client)), transport, f"{shown}:{port}", "open",
                       self.end_of(client), self.end_of(server))
            self.assertEqual(self.service(inode_of(server))["attach"], ["--port", str(port)])
            server.connect(client.getsockname()[:2])
            first, second = sorted((client, server), key=lambda s: -s.getsockname()[1])
            self.check(self.connection(inode_of(client)), transport,
                       f"{shown}:{second.getsockname()[1]}", "open", self.end_of(first),
                       self.end_of(second))

    def test_namespace(self):
        """a listener in another network namespace is found, and attached to by pid"""
        port = self.tcp()[1]
        other = self.peer("list-abroad", f"""
s = socket.socket()
s.bind(("0.0.0.0", {port}))
s.listen()
keep(s)
found = dict(inode=os.fstat(s.fileno()).st_ino, network=os.stat("/proc/self/ns/net").st_ino)
""", "unshare", "--net")
        service = self.service(other.found["inode"])
        self.assertEqual((service["owner"], service["network"], service["attach"]),
                         (other.owner(), other.found["network"], ["-p", str(other.pid)]))


class Pipes(List):
    """Pipes, FIFOs and message queues."""

    def test_pipe(self):
        """one process writes, another reads"""
        read, write = os.pipe()
        inode = inode_of(read)
        self.stack.callback(os.close, write)
        reader = self.peer("list-reader", "", pass_fds=[read])
        heir = self.peer("list-heir", "", pass_fds=[read])
        os.close(read)
        connection = self.connection(inode, "--pid", reader.pid)
        self.check(connection, "pipe", None, "open", (inode, self.owner), (inode, reader.owner()))
        self.assertEqual([connection[side]["owners"] for side in ("from", "to")], [1, 2])
        self.assertEqual(self.connection(inode, "--pid", heir.pid)["to"]["owner"], heir.owner())

    def test_widowed(self):
        """a pipe without a reader: its reader is gone, unless processes may be hidden"""
        read, write = os.pipe()
        os.close(read)
        with os.fdopen(write, "w") as writer:
            inode = inode_of(writer)
            missing = self.list()["missing"]
            sees_all = not missing["processes"] and not missing["outside"]
            self.check(self.connection(inode), "pipe", None, "peer_gone" if sees_all else "open",
                       (inode, self.owner), None if sees_all else (inode, None))

    def test_fifo(self):
        """by its path; a process that opens it in both directions is both ends"""
        path = self.path("a fifo")
        os.mkfifo(path)
        both = os.open(path, os.O_RDWR)
        self.stack.callback(os.close, both)
        writer = self.peer("list-writer", f"keep(open({path!r}, 'w'))")
        inode = inode_of(both)
        connection = self.connection(inode)
        self.assertEqual((connection["transport"], connection["name"]), ("fifo", path))
        self.assertEqual([connection[side]["owners"] for side in ("from", "to")], [2, 1])
        self.assertEqual(connection["to"]["owner"], self.owner)
        self.assertEqual(self.connection(inode, "--pid", writer.pid)["from"]["owner"],
                         writer.owner())

    def test_mqueue(self):
        """by its name, each end by what it was opened for"""
        name = f"/ipctrace-{uuid.uuid4().hex}"
        code = f"""
queue = ctypes.CDLL("librt.so.1", use_errno=True)
fd = queue.mq_open({name!r}.encode(), %s, 0o600, None)
assert fd >= 0, os.strerror(ctypes.get_errno())
found = dict(inode=os.fstat(fd).st_ino)
"""
        reader = self.peer("list-reader", code % "os.O_RDONLY | os.O_CREAT")
        writer = self.peer("list-writer", code % "os.O_WRONLY")
        self.stack.callback(ctypes.CDLL("librt.so.1").mq_unlink, name.encode())
        inode = reader.found["inode"]
        self.check(self.connection(inode), "mqueue", name, "open", (inode, writer.owner()),
                   (inode, reader.owner()))


class Filters(List):
    """Filters of the list."""

    def test_pid(self):
        """only channels of that process, and it is the one that is named"""
        pair = [self.keep(end) for end in socket.socketpair()]
        heir = self.peer("list-heir", "", pass_fds=[pair[0].fileno()])
        own = self.keep(bound(self.path()))
        listed = self.list("--pid", heir.pid)
        ends = [end for c in listed["connections"] for end in (c["from"], c["to"]) if end]
        shared = [end for end in ends if end["inode"] == inode_of(pair[0])]
        self.assertEqual([end["owner"] for end in shared], [heir.owner()])
        self.assertNotIn(inode_of(own), [s["inode"] for s in listed["services"]])
        for connection in listed["connections"]:
            self.assertIn(heir.pid, [end["owner"]["pid"] for end in
                                     (connection["from"], connection["to"]) if end and end["owner"]])

    def test_comm(self):
        """by name, with wildcards"""
        peer = self.peer("list-unlike-1", """
s = socket.socket(socket.AF_UNIX)
s.bind("\\0" + str(os.getpid()))
s.listen()
keep(s)
""")
        for glob in ("list-unlike-1", "list-unl*", "*-unlike-?"):
            self.assertEqual([s["owner"] for s in self.list("--comm", glob)["services"]],
                             [peer.owner()], glob)

    def test_transport(self):
        """one kind or several"""
        pair = [self.keep(end) for end in socket.socketpair()]
        listener = self.keep(bound(("127.0.0.1", 0), family=socket.AF_INET))
        self.assertEqual(len(self.connections(inode_of(pair[0]), "--transport", "uds-stream")), 1)
        self.assertEqual(self.connections(inode_of(pair[0]), "--transport", "tcp,pipe,uds"), [])
        self.service(inode_of(listener), "--transport", "udp,tcp")
        listed = self.list("--transport", "pipe,tcp")
        self.assertLessEqual({item["transport"] for part in ("services", "connections")
                              for item in listed[part]}, {"pipe", "tcp"})

    def test_nobody(self):
        """a process that is not there is an error that names it"""
        ended = subprocess.Popen(["true"])
        ended.wait()
        for options, named in ((("--pid", ended.pid), str(ended.pid)),
                               (("--pid", f"{os.getpid()},{ended.pid}"), str(ended.pid)),
                               (("--comm", "no-such-*"), "no-such-*"),
                               (("--comm", "*", "--comm", "no-such-*"), "no-such-*")):
            result = harness.ipctrace("list", *options)
            self.check_refused(result, named)

    def test_user(self):
        """a user sees all sockets, but owners only of their own processes, and gets a hint"""
        path = self.path("for-users")
        listener = self.keep(bound(path))
        os.chmod(path, 0o777)
        user = self.peer("list-user", f"""
c = socket.socket(socket.AF_UNIX)
c.connect({path!r})
keep(c)
found = dict(inode=os.fstat(c.fileno()).st_ino)
""", "setpriv", f"--reuid={harness.STRANGER}", f"--regid={harness.STRANGER}", "--clear-groups")
        accepted = self.keep(listener.accept()[0])
        self.check(self.connection(user.found["inode"], uid=harness.STRANGER), "uds-stream", path,
                   "open", (user.found["inode"], user.owner()), (inode_of(accepted), None))
        service = self.service(inode_of(listener), uid=harness.STRANGER)
        self.assertEqual((service["owner"], service["owners"]), (None, 0))
        result = harness.ipctrace("list", uid=harness.STRANGER)
        self.assertEqual(result.status, 0)
        self.assertEqual(result.err.count("\n"), 1, result.err)
        hidden = self.list(uid=harness.STRANGER)["missing"]["processes"]
        self.assertGreaterEqual(hidden, 1)
        self.assertIn("CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH", result.err)
        refused = harness.ipctrace("list", "--pid", os.getpid(), uid=harness.STRANGER)
        self.check_refused(refused, f"--pid: '{os.getpid()}'", "CAP_SYS_PTRACE and CAP_DAC_READ_SEARCH")

    def test_many(self):
        """a few thousand sockets are all found"""
        code = "keep(*(socket.socketpair() for _ in range(2000)))"
        peer = self.peer("list-many", "import resource\n"
                         "resource.setrlimit(resource.RLIMIT_NOFILE, (5000, 5000))\n" + code)
        listed = self.list("--pid", peer.pid, "--transport", "uds-stream")
        self.assertEqual(len(listed["connections"]), 2000)
        self.assertEqual({end["owner"]["pid"] for c in listed["connections"]
                          for end in (c["from"], c["to"])}, {peer.pid})


class Text(List):
    """The page for people."""

    def page(self, *options):
        result = harness.ipctrace("list", "-q", *options)
        self.assertEqual((result.status, result.err), (0, ""))
        return result.out.splitlines()

    def test_lines(self):
        """a connection is one line with both ends; an argument can be pasted into a shell"""
        path = self.path("with a space")
        listener = self.keep(bound(path))
        client = self.peer("list-client", f"""
c = socket.socket(socket.AF_UNIX)
c.connect({path!r})
keep(c)
""")
        self.keep(listener.accept()[0])
        lines = self.page("--pid", client.pid, "--transport", "uds-stream")
        line = next(line for line in lines if path in line)
        ends = f"{client.name} (pid {client.pid}) {self.owner['comm']} (pid {self.owner['pid']})"
        self.assertEqual(" ".join(line.split()), f"uds-stream {ends} {path}")
        heading = next(line for line in lines if line.startswith("connections"))
        for title, cell in (("from", client.name), ("to", self.owner["comm"] + " "), ("by", path)):
            self.assertEqual(heading.index(title), line.index(cell), f"column {title}")
        line = next(line for line in self.page() if line.startswith("uds-stream") and "--unix" in line and path in line)
        self.assertEqual(shlex.split(line)[-2:], ["--unix", path])

    def test_terminal(self):
        """on a terminal, long names are cut so that a line fits, and this is said"""
        path = self.path("x" * 60)
        listener = self.keep(bound(path))
        self.keep(connected(path))
        self.keep(listener.accept()[0])
        for columns in (80, 100, 120):
            lines = self.on_terminal(columns, "--pid", os.getpid())
            self.assertLessEqual(max(map(len, lines)), columns, lines)
            rows = [line for line in lines if line.startswith("uds-stream")]
            self.assertEqual(any(path in line for line in rows), False, lines)
            whole = [line.strip() for line in lines if line.strip().startswith("--unix")]
            self.assertEqual(whole, [f"--unix {path}"] if columns - len(path) >= 9 else whole, lines)
            self.assertTrue(any("xx.." in line or "..xx" in line for line in lines), lines)
            self.assertIn("names are cut", " ".join(lines))
        self.assertTrue(any(path in line for line in self.page("--pid", os.getpid())))

    def on_terminal(self, columns, *options):
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        with os.fdopen(master, "rb", buffering=0) as screen:
            process = subprocess.Popen([harness.PROGRAM, "list", "-q", "--color", "never",
                                        *map(str, options)], stdin=subprocess.DEVNULL, stdout=slave,
                                       env=harness.environment())
            os.close(slave)
            text = b""
            with contextlib.suppress(OSError):  # a terminal without a process behind it
                while chunk := screen.read(65536):
                    text += chunk
            self.assertEqual(process.wait(harness.PATIENCE * 60), 0)
        return text.decode().replace("\r\n", "\n").splitlines()

    def test_first_lines(self):
        """the first lines count, and their command traces the most connected service"""
        paths = [self.path(f"few {i}") for i in range(3)]
        listeners = [self.keep(bound(path)) for path in paths]
        for listener, path, clients in zip(listeners, paths, (1, 3, 2)):
            for _ in range(clients):
                self.keep(connected(path))
                self.keep(listener.accept()[0])
        lines = self.page("--pid", os.getpid(), "--transport", "uds-stream")
        listed = self.list("--pid", os.getpid(), "--transport", "uds-stream")
        self.assertEqual(listed["try"], ["--unix", paths[1]])
        self.assertEqual([s["open"] for s in listed["services"] if s["name"] in paths], [1, 3, 2])
        self.assertTrue(lines[0].startswith(f"{len(listed['services'])} services and "), lines[0])
        command = shlex.split(lines[2])
        self.assertEqual(command, ["sudo", "ipctrace", "attach", "--unix", paths[1]])
        result = harness.ipctrace(*command[2:], "-d", "1ms")
        self.assertEqual(result.status, 0, result.err)
        shown = [path for line in lines for path in paths if "--unix" in line and path in line]
        self.assertEqual(shown[1:], [paths[1], paths[2], paths[0]])

    def test_none(self):
        """a process without channels: what to do"""
        peer = self.peer("list-none", "")
        lines = self.page("--pid", peer.pid, "--transport", "uds-seqpacket")
        self.assertIn("there is nothing to attach to", " ".join(lines))
        self.assertEqual(lines[-1], "  sudo ipctrace list")

    def test_output(self):
        """-o writes a file and nothing else; one that cannot be written is named"""
        path = self.path("list.json")
        result = harness.ipctrace("list", "-q", "-f", "json", "-o", path)
        self.assertEqual((result.status, result.out, result.err), (0, "", ""))
        with open(path, encoding="utf-8") as file:
            self.assertEqual(json.load(file)["schema"], "ipctrace.list/1")
        result = harness.ipctrace("list", "-q", "-o", self.path("no/such/folder"))
        self.assertEqual((result.status, result.out), (1, ""))
        self.assertIn("no/such/folder", result.err)
        with open("/dev/full", "w", encoding="utf-8") as full:
            status = subprocess.run([harness.PROGRAM, "list", "-q"], stdout=full,
                                    stderr=subprocess.DEVNULL).returncode
        self.assertEqual(status, 1, "a full disk")


if __name__ == "__main__":
    tap.main()
