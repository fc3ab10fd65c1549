# SPDX-License-Identifier: BSD-2-Clause
"""Calls as their clients know them: the round trips of the report are those of the client's own clock."""

import json
import statistics
import subprocess
import sys

import attach
import patience
import tap

# How near the median has to be: a share of the client's, or so much.
NEAR, NEAR_NS = 0.05, 20_000

# A client and a server over one connection. The client notes how long each call took, and how long the server's
# handler did, which is in each answer to a request of 100 bytes.
PROGRAM = """
import fcntl, json, os, socket, sys, termios, threading, time
kind, way, notes, count = *sys.argv[1:4], int(sys.argv[4])
BODY = 1_000_000

def name(comm):
    with open("/proc/self/comm", "w", encoding="ascii") as file:
        file.write(comm)

def connect():
    if kind == "pipes":
        there, back = os.pipe(), os.pipe()
        return (back[0], there[1]), (there[0], back[1])
    if kind == "socketpair":
        ends = socket.socketpair()
    else:
        listener = socket.create_server(("127.0.0.1", 0))
        ends = [socket.create_connection(listener.getsockname()), listener.accept()[0]]
        for end in ends:
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return [(end.fileno(), end.fileno(), end) for end in ends]

def read_all(end, size, room=memoryview(bytearray(BODY))):
    # Into memory that is there already: page faults of new memory after a read would count in what the client notes.
    taken = 0
    while taken < size:
        more = os.readv(end[0], [room[taken:size]])
        if not more:
            os._exit(0)
        taken += more
    return room[:size]

def unread(end):
    return int.from_bytes(fcntl.ioctl(end[0], termios.FIONREAD, bytes(4)), "little")

def write_all(end, data):
    left = memoryview(data)
    while left:
        left = left[os.write(end[1], left):]

def serve(end):
    name("the-server")
    while True:
        if way == "parts":
            read_all(end, 200)
            write_all(end, bytes(100))
            time.sleep(0.005)
            write_all(end, bytes(100))
        elif way == "batch":
            first = bytes(read_all(end, 100))
            time.sleep(0.003)
            others = [bytes(read_all(end, 100)) for _ in range(unread(end) // 100)]
            for request in (first, *others):
                write_all(end, request)
        elif way == "body":
            read_all(end, 100)
            write_all(end, bytes(BODY))
        else:
            request = read_all(end, 100)
            begin = time.monotonic_ns()
            if way == "spin":
                until = time.monotonic() + 500e-6
                while time.monotonic() < until:
                    pass
            elif way in ("sleep", "shared"):
                time.sleep(0.003)
            request[1:9] = (time.monotonic_ns() - begin).to_bytes(8, "big")
            write_all(end, request)

def call(end):
    write_all(end, bytes(100))
    if way == "parts":
        write_all(end, bytes(100))
    return read_all(end, BODY if way == "body" else 200 if way == "parts" else 100)

def alone(end):
    took, handled = [], []
    for _ in range(count):
        start = time.monotonic_ns()
        answer = call(end)
        took.append(time.monotonic_ns() - start)
        handled.append(int.from_bytes(answer[1:9], "big"))
    return took, handled

def shared(end):
    # Three threads; each request carries the number of its thread, so a fourth one knows whose answer it is.
    took, begun, waiting = [], {}, {n: threading.Semaphore(0) for n in range(3)}
    turn = threading.Lock()
    def ask(number):
        for _ in range(count // 3):
            with turn:
                begun[number] = time.monotonic_ns()
                write_all(end, bytes([number]) * 100)
            waiting[number].acquire()
    def sort():
        for _ in range(count // 3 * 3):
            number = read_all(end, 100)[0]
            took.append(time.monotonic_ns() - begun[number])
            waiting[number].release()
    threads = [threading.Thread(target=ask, args=(n,)) for n in range(3)]
    threads.append(threading.Thread(target=sort))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return took, None

mine, others = connect()
child = os.fork()
if not child:
    for fd in set(mine[:2]):
        os.close(fd)
    serve(others)
for fd in set(others[:2]):
    os.close(fd)
name("the-client")
print(child, flush=True)
sys.stdin.readline()
took, handled = shared(mine) if way in ("shared", "batch") else alone(mine)
with open(notes, "w", encoding="ascii") as file:
    json.dump({"took": took, "handled": handled}, file)
os.kill(child, 9)
"""


class Calls(attach.AttachCase):
    """One client and one server whose calls are known."""

    COUNT = 150

    def trace(self, kind, way, *options, target="server"):
        """The attachment, and how long each call took. What the server's handler took is in self.handled."""
        notes = self.file("notes")
        client = self.spawn([sys.executable, "-c", PROGRAM, kind, way, notes, str(self.COUNT)],
                            stdin=subprocess.PIPE)
        server = int(client.stdout.readline())
        pid = server if target == "server" else client.pid
        with self.attached("-p", pid, *options, stop=False) as attachment:
            client.communicate("go\n", timeout=120)
            if target != "server":
                attachment.process.wait(60)
        with open(notes, encoding="ascii") as file:
            noted = json.load(file)
        self.handled = noted["handled"]
        return attachment, noted["took"]

    def check_near(self, value_ns, truth_ns, what):
        """Or the machine was in the way."""
        patience.demand(-abs(value_ns - truth_ns), -max(NEAR * truth_ns, NEAR_NS), what)

    def check_client(self, attachment, took, match="exact"):
        """As many as the client made, and they took as long."""
        calls, summary = attachment.calls, attachment.summary["calls"]
        self.assertEqual(len(calls), len(took))
        self.assertEqual({call["match"] for call in calls}, {match})
        self.assertEqual(summary["count"], len(took))
        self.assertEqual(summary["open_several"]["count"], 0)
        for call, truth_ns in zip(calls, took):
            self.assertLessEqual(call["round_trip_ns"], truth_ns)
        self.check_near(summary["round_trip_ns"]["p50"], statistics.median(took), "median round trip")
        (service,) = summary["services"]
        self.assertEqual((service["service"]["comm"], service["client"]["comm"]),
                         ("the-server", "the-client"))
        self.assertEqual(service["count"], len(took))

    def test_parts(self):
        """requests in two sends and answers in two parts, 5 ms apart"""
        attachment, took = self.trace("tcp", "parts")
        self.check_client(attachment, took)
        summary = attachment.summary["calls"]
        self.assertEqual(summary["in_parts"], self.COUNT)
        self.assertGreater(summary["response_ns"]["min"], 5_000_000)
        patience.demand(5_000_000 - summary["response_first_ns"]["p50"], 1, "ns of half of the first parts below 5 ms")

    def test_body(self):
        """an answer of 1 MB"""
        attachment, took = self.trace("tcp", "body")
        self.check_client(attachment, took)

    def test_service(self):
        """a handler that runs for 500 us, or sleeps for 3 ms: in the service, and in the right state"""
        for way, state, planted_ns in (("spin", "on_cpu", 500_000), ("sleep", "blocked", 3_000_000)):
            with self.subTest(way):
                attachment, took = self.trace("tcp", way)
                self.check_client(attachment, took)
                service = attachment.summary["calls"]["service_ns"]
                self.assertGreaterEqual(service["min"], planted_ns)
                self.check_near(service["p50"], statistics.median(self.handled), "service")
                patience.demand(service["states_ns"][state], 0.9 * planted_ns, state)

    def test_unnamed(self):
        """a pair of sockets and two pipes: the target serves"""
        for kind in ("socketpair", "pipes"):
            with self.subTest(kind):
                attachment, took = self.trace(kind, "echo")
                self.check_client(attachment, took)
                self.assertEqual(attachment.summary["calls"]["guessed"], 0)

    def test_asked(self):
        """a target that is the client: --server and --client say so"""
        for options in (("--server", "the-server"), ("--client", "the-cl*")):
            with self.subTest(options):
                attachment, took = self.trace("socketpair", "echo", *options, target="client")
                self.check_client(attachment, took)

    def test_shared(self):
        """three threads over one connection, to a server that takes one request at a time: exact"""
        attachment, took = self.trace("tcp", "shared")
        self.check_client(attachment, took)

    def test_batch(self):
        """three threads over one connection, to a server that takes all before it answers: the right mean"""
        attachment, took = self.trace("tcp", "batch")
        calls = attachment.summary["calls"]
        several = calls["open_several"]
        self.assertEqual(several["count"] + calls["count"], len(took))
        patience.demand(several["count"], 0.9 * len(took), "calls with several requests open")
        self.check_near(several["mean"], statistics.mean(took), "mean round trip")

    def test_in_turn(self):
        """the same with --calls fifo: exact"""
        attachment, took = self.trace("tcp", "batch", "--calls", "fifo")
        calls = attachment.summary["calls"]
        self.assertEqual((calls["count"], calls["open_several"]["count"]), (len(took), 0))
        self.check_near(calls["round_trip_ns"]["mean"], statistics.mean(took), "mean round trip")
        self.check_near(calls["round_trip_ns"]["p50"], statistics.median(took), "median round trip")


# A service that connects to a broker, as services of D-Bus do, and takes 3 ms to answer.
BROKER = """
import json, os, selectors, socket, sys, time
path, notes, count = *sys.argv[1:3], int(sys.argv[3])

def name(comm):
    with open("/proc/self/comm", "w", encoding="ascii") as file:
        file.write(comm)

def connect(comm):
    name(comm)
    end = socket.socket(socket.AF_UNIX)
    end.connect(path)
    return end

def serve():
    end = connect("the-service")
    while request := end.recv(100):
        time.sleep(0.003)
        end.send(request)

def forward(listener):
    name("the-broker")
    service, _ = listener.accept()
    os.write(1, b"connected\\n")
    client, _ = listener.accept()
    selector = selectors.DefaultSelector()
    for here, there in ((service, client), (client, service)):
        selector.register(here, selectors.EVENT_READ, there)
    while True:
        for key, _ in selector.select():
            if not (message := key.fileobj.recv(100)):
                return
            key.data.send(message)

listener = socket.socket(socket.AF_UNIX)
listener.bind(path)
listener.listen()
children = []
for work in (lambda: forward(listener), serve):
    children.append(os.fork())
    if not children[-1]:
        work()
        os._exit(0)
end = connect("the-client") if sys.stdin.readline() else None
print(children[0], flush=True)
sys.stdin.readline()
took = []
for _ in range(count):
    start = time.monotonic_ns()
    end.send(bytes(100))
    end.recv(100)
    took.append(time.monotonic_ns() - start)
with open(notes, "w", encoding="ascii") as file:
    json.dump(took, file)
"""


class Broker(attach.AttachCase):
    """Calls through a broker, whose service is named: both ways are calls."""

    COUNT = 100

    def trace(self, *options):
        """The calls of the report, those of the client, and those of the service, with the client's own times."""
        notes = self.file("notes")
        client = self.spawn([sys.executable, "-c", BROKER, self.file(f"bus{len(options)}"), notes, str(self.COUNT)],
                            stdin=subprocess.PIPE)
        self.assertEqual(client.stdout.readline(), "connected\n")
        client.stdin.write("connect\n")
        client.stdin.flush()
        broker = int(client.stdout.readline())
        with self.attached("-p", broker, *options, stop=False) as attachment:
            client.communicate("go\n", timeout=60)
        with open(notes, encoding="ascii") as file:
            took = json.load(file)
        calls = attachment.summary["calls"]
        services = {(row["client"]["comm"], row["service"]["comm"]): row for row in calls["services"]}
        outer = services.pop(("the-client", "the-broker"))
        inner = services.pop(("the-broker", "the-service"))
        self.assertEqual(services, {})
        self.assertEqual((outer["count"], inner["count"]), (self.COUNT, self.COUNT))
        self.assertGreaterEqual(inner["service_ns"]["min"], 3_000_000)
        return calls, outer, inner, took

    def test_both_ways(self):
        """a client, a broker that is the target, and a service that takes 3 ms (--server)"""
        calls, outer, inner, took = self.trace("--server", "the-service")
        self.assertEqual(calls["guessed"], 0)
        difference_ns = outer["round_trip_ns"]["p50"] - statistics.median(took)
        patience.demand(-abs(difference_ns), -NEAR * statistics.median(took), "median round trip")

    def test_guess(self):
        """the same without --server: the broker sends first to the service, for a call that it has to answer"""
        calls, outer, inner, _ = self.trace()
        self.assertEqual((calls["guessed"], inner["guessed"]), (self.COUNT, self.COUNT))
        self.assertEqual((inner["nested"], outer["nests"]), (self.COUNT, self.COUNT))
        self.assertTrue(inner["inside"].startswith("the-broker on "), inner["inside"])
        self.assertTrue(outer["callee"].startswith("the-service on "), outer["callee"])
        self.assertGreaterEqual(outer["nested_ns"], inner["round_trip_ns"]["mean"])
        self.assertLess(outer["nested_ns"], outer["service_ns"]["mean"])


if __name__ == "__main__":
    tap.main()
