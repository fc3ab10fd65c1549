# SPDX-License-Identifier: BSD-2-Clause
"""
Two processes that each wait for the other one, until one of them gives up; a process that asks itself; and programs
that look alike, in which nothing waits in a circle.
"""

import json
import subprocess
import sys

import attach
import harness
import tap

CALLS = 25
GIVES_UP_NS = 20_000_000

# A client asks the service, which asks the worker. Each process has one thread.
#   calls    the worker asks the service in turn, and gives up
#   limit    the same, with a limit of the socket instead of a call that polls
#   lock     the service keeps a file locked, and gives up: the worker waits for the lock
#   itself   the service asks itself, and gives up
#   slow     the worker sleeps for too long, and the service gives up
#   news     the worker sends news to the service, which need no answer, and polls for too long
#   fine     none of these
PROGRAM = """
import fcntl, os, select, socket, struct, sys, tempfile, time
kind, calls = sys.argv[1], int(sys.argv[2])
GIVES_UP = .02
front, service = socket.socketpair()
to_worker, worker = socket.socketpair()
back, inner = socket.socketpair()
news, reads_news = socket.socketpair()
nothing = socket.socketpair()
path = tempfile.mkstemp()[1]
late = {}

def receive(end, count):
    data = b""
    while len(data) < count:
        data += end.recv(count - len(data)) or sys.exit()

def receive_late(end):  # answers to what was given up
    for _ in range(late.pop(end, 0)):
        receive(end, 2)

def ask(end, seconds=None):
    receive_late(end)
    end.sendall(b"request.")
    if kind == "limit" and seconds:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", 0, int(seconds * 1000000)))
        try:
            receive(end, 2)
        except BlockingIOError:
            late[end] = 1
    elif seconds and not select.select([end], [], [], seconds)[0]:
        late[end] = 1
    else:
        receive(end, 2)

def serve(ends, handle):
    while True:
        for end in select.select(ends, [], [])[0]:
            receive(end, 8)
            handle(end)
            end.sendall(b"ok")

def start(name, ends, handle):
    if os.fork():
        return
    for end in {front, service, to_worker, worker, back, inner} - set(ends) - keeps[name]:
        end.close()
    with open("/proc/self/comm", "w", encoding="ascii") as file:
        file.write(name)
    try:
        serve(ends, handle)
    finally:
        os._exit(0)

def work(_):
    if kind in ("calls", "limit"):
        ask(back, GIVES_UP)
    elif kind == "lock":
        with open(path) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
    elif kind == "slow":
        time.sleep(1.5 * GIVES_UP)
    elif kind == "news":
        news.send(b"news")
        select.select([nothing[0]], [], [], 1.5 * GIVES_UP)

def manage(end):
    if end is inner:
        return
    if kind == "itself":
        ask(back, GIVES_UP)
        return
    receive_late(to_worker)  # before the lock, for which the worker may still wait
    with open(path) as file:
        if kind == "lock":
            fcntl.flock(file, fcntl.LOCK_EX)
        ask(to_worker, None if kind in ("calls", "limit", "fine") else GIVES_UP)

keeps = {"worker": {back}, "service": {to_worker} | ({back} if kind == "itself" else set())}
start("worker", [worker], work)
start("service", [inner, service], manage)  # a question of its own comes first: the next one waits for that answer
for end in (service, to_worker, worker, back, inner):
    end.close()
print("ready", flush=True)
sys.stdin.readline()
for _ in range(calls):
    ask(front)
    time.sleep(.002)
front.close()
os.unlink(path)
for _ in range(2):
    os.wait()
"""

# The same over a new connection for each request.
#   circle   the worker asks the service in turn, and gives up
#   others   a second thread of the service answers that
#   fine     the worker asks none
CONNECTING = """
import os, socket, sys, threading, time
kind, calls = sys.argv[1], int(sys.argv[2])
GIVES_UP = .02

def listen():
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(64)
    return listener

service, worker = listen(), listen()

def ask(listener, question, seconds=None):
    with socket.create_connection(listener.getsockname()) as connection:
        connection.settimeout(seconds)
        connection.sendall(question)
        try:
            connection.recv(2)
        except TimeoutError:
            pass

def serve(listener, handle):
    while True:
        connection = listener.accept()[0]
        with connection:
            handle(connection.recv(8))
            try:
                connection.sendall(b"ok")
            except ConnectionError:
                pass

def work(_):
    if kind != "fine":
        ask(service, b"back", GIVES_UP)

def manage(question):
    if question == b"request":
        ask(worker, b"work")

def start(name, listener, handle):
    child = os.fork()
    if child:
        return child
    with open("/proc/self/comm", "w", encoding="ascii") as file:
        file.write(name)
    if kind == "others" and listener is service:
        threading.Thread(target=serve, args=(listener, handle), daemon=True).start()
    serve(listener, handle)

children = [start("worker", worker, work), start("service", service, manage)]
print("ready", flush=True)
sys.stdin.readline()
for _ in range(calls):
    ask(service, b"request")
    time.sleep(.002)
for child in children:
    os.kill(child, 9)
    os.waitpid(child, 0)
"""


class Circles(attach.AttachCase):
    """What an explanation says of them."""

    def explain(self, kind, program=PROGRAM):
        """(rows with a circle, the text)"""
        process = self.ready(self.spawn([sys.executable, "-c", program, kind, CALLS], stdin=subprocess.PIPE))
        with self.attached("--level", "deep", "-p", process.pid, stop=False) as attachment:
            _, err = process.communicate("go\n", timeout=60 * harness.PATIENCE)
        self.assertEqual((process.returncode, err), (0, ""))
        options = ("explain", attachment.recording, "--unit", "call")
        explanation = json.loads(harness.ipctrace(*options, "-f", "json", "--slowest", "50%").out)
        return ([row for row in attach.followed(explanation["rows"]) if "circle" in (row.get("reason") or "")],
                harness.ipctrace("explain", attachment.recording).out)

    def assert_circle(self, kind, reason, culprit, program=PROGRAM):
        """the reason, the other end, and the time after which the thread gives up"""
        rows, text = self.explain(kind, program)
        self.assertTrue(rows, text)
        self.assertEqual({row["reason"] for row in rows}, {reason})
        self.assertEqual({(row["culprit"] or {}).get("comm") for row in rows}, {culprit})
        for row in rows:
            self.assertAlmostEqual(row["asked_ns"], GIVES_UP_NS, delta=GIVES_UP_NS / 10)
        self.assertIn("a circle", text)

    def assert_none(self, kind, program=PROGRAM):
        """Nothing is called a circle."""
        rows, text = self.explain(kind, program)
        self.assertEqual(rows, [])
        self.assertNotIn("circle", text)

    def test_calls(self):
        """two that ask each other"""
        self.assert_circle("calls", "circle_of_calls", "service")

    def test_limit(self):
        """the same with SO_RCVTIMEO"""
        self.assert_circle("limit", "circle_of_calls", "service")

    def test_lock(self):
        """a lock that is kept during a call, which needs it"""
        self.assert_circle("lock", "circle_of_calls", "worker")

    def test_itself(self):
        """a process that asks itself"""
        self.assert_circle("itself", "circle_of_itself", None)

    def test_slow(self):
        """a worker that takes too long waits for nothing"""
        self.assert_none("slow")

    def test_news(self):
        """what needs no answer is no request"""
        self.assert_none("news")

    def test_fine(self):
        """the cure"""
        self.assert_none("fine")

    def test_connecting(self):
        """two that ask each other, over connections that are accepted only afterwards"""
        self.assert_circle("circle", "circle_of_calls", "service", CONNECTING)

    def test_connecting_others(self):
        """a connection that another thread accepts"""
        self.assert_none("others", CONNECTING)

    def test_connecting_fine(self):
        """the cure"""
        self.assert_none("fine", CONNECTING)


if __name__ == "__main__":
    tap.main()
