# SPDX-License-Identifier: BSD-2-Clause
"""Calls that wait for a busy worker while another one sleeps in the same epoll, or at another socket of the same port."""

import json
import os
import shutil
import subprocess
import sys

import attach
import harness
import patience
import tap

BURSTS, CALLS = 6, 10
ASLEEP = "share in which the other worker sleeps"

COMMON = """
import os, select, socket, sys, time
kind, bursts, calls = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])

def work(seconds):
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass

def set_name(name):
    with open("/proc/self/comm", "w", encoding="ascii") as file:
        file.write(name)
"""

# Both workers are made busy before each burst, so that one of them finds all requests of it at once. `batch`: it takes
# them all, and the other one sleeps when it is free; `one`: it takes one event at a time. `apart`: each has an epoll
# of its own, and that of the second worker has one connection. `pipelined`: one client sends the whole burst, and
# EPOLLONESHOT keeps its connection from others until the first worker has answered all.
EPOLL = COMMON + """
FLAGS = select.EPOLLIN | select.EPOLLONESHOT
pairs = [socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET) for _ in range(calls + 2)]
shared = select.epoll()

def handle(connection):
    while True:
        work(connection.recv(1)[0] / 1000)
        connection.sendall(b"k")
        if kind != "pipelined":
            return
        try:
            connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except BlockingIOError:
            return

def worker(number):
    epoll = select.epoll() if kind == "apart" else shared
    servers = {server.fileno(): server for server, _ in pairs}
    for server, _ in (pairs[1:2] if number else pairs[:1] + pairs[2:]) if kind == "apart" else []:
        epoll.register(server, FLAGS)
    while True:
        for fd, _ in epoll.poll(maxevents=1 if kind == "one" else 64):
            handle(servers[fd])
            epoll.modify(fd, FLAGS)

if kind != "apart":
    for server, _ in pairs:
        shared.register(server, FLAGS)
children = []
for number in range(2):
    child = os.fork()
    if not child:
        set_name(f"worker-{number}")
        worker(number)
    children.append(child)
print("ready", *children, flush=True)
sys.stdin.readline()
clients = [client for _, client in pairs]
for _ in range(bursts):
    for client, milliseconds in zip(clients, (5, 7)):
        client.sendall(bytes([milliseconds]))
        time.sleep(0.001)
    burst = clients[2:3] * calls if kind == "pipelined" else clients[2:]
    for client in burst:
        client.sendall(b"\\x04")
    for client in clients[:2] + burst:
        client.recv(1)
    time.sleep(0.02)
for child in children:
    os.kill(child, 9)
    os.waitpid(child, 0)
"""

# Each worker listens on the port with a socket of its own. `uneven`: all connections with requests are those that the
# kernel has given to the first one. `even`: as many requests go to the second one. `stranger`: as `uneven`, and the
# second worker is another program.
PORT = COMMON + """
def listen(port):
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen(64)
    listener.setblocking(False)
    return listener

def worker(number, listener):
    set_name(f"worker-{number}")
    epoll = select.epoll()
    epoll.register(listener, select.EPOLLIN)
    connections = {}
    while True:
        for fd, _ in epoll.poll():
            if fd == listener.fileno():
                connection = listener.accept()[0]
                connections[connection.fileno()] = connection
                epoll.register(connection, select.EPOLLIN)
            elif request := connections[fd].recv(1):
                work(request[0] / 1000)
                connections[fd].sendall(bytes([number]))
            else:
                connections.pop(fd).close()

if len(sys.argv) > 5:
    worker(1, socket.socket(fileno=int(sys.argv[5])))
listeners = [listen(0)]
port = listeners[0].getsockname()[1]
listeners.append(listen(port))
children = []
for number in range(2):
    child = os.fork()
    if not child:
        listeners[1 - number].close()
        if number and kind == "stranger":
            os.set_inheritable(listeners[1].fileno(), True)
            os.execv(sys.argv[4], [sys.argv[4], *sys.orig_argv[1:], str(listeners[1].fileno())])
        worker(number, listeners[number])
    children.append(child)
for listener in listeners:
    listener.close()
print("ready", *children, flush=True)
sys.stdin.readline()
clients = [[], []]
while len(clients[0]) < calls or (len(clients[1]) < (calls if kind == "even" else 1)):
    client = socket.create_connection(("127.0.0.1", port))
    client.sendall(b"\\0")
    clients[client.recv(1)[0]].append(client)
burst = clients[0][:calls] + (clients[1][:calls] if kind == "even" else [])
for _ in range(bursts):
    for client in burst:
        client.sendall(b"\\4")
    for client in burst:
        client.recv(1)
    clients[1][0].sendall(b"\\0")
    clients[1][0].recv(1)
for child in children:
    os.kill(child, 9)
    os.waitpid(child, 0)
"""

# The same with datagrams: each worker sleeps in a receive call of its own socket. All clients with requests are those
# whose datagrams go to the first one.
UDP = COMMON + """
def open_socket(port):
    opened = socket.socket(type=socket.SOCK_DGRAM)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    opened.bind(("127.0.0.1", port))
    return opened

def worker(number):
    set_name(f"worker-{number}")
    while True:
        request, client = sockets[number].recvfrom(1)
        work(request[0] / 1000)
        sockets[number].sendto(bytes([number]), client)

sockets = [open_socket(0)]
address = sockets[0].getsockname()
sockets.append(open_socket(address[1]))
children = []
for number in range(2):
    child = os.fork()
    if not child:
        sockets[1 - number].close()
        worker(number)
    children.append(child)
for opened in sockets:
    opened.close()
print("ready", *children, flush=True)
sys.stdin.readline()
clients = [[], []]
while len(clients[0]) < calls or not clients[1]:
    client = socket.socket(type=socket.SOCK_DGRAM)
    client.connect(address)
    client.send(b"\\0")
    clients[client.recv(1)[0]].append(client)
for _ in range(bursts):
    for client in clients[0][:calls]:
        client.send(b"\\4")
    for client in clients[0][:calls]:
        client.recv(1)
    clients[1][0].send(b"\\0")
    clients[1][0].recv(1)
for child in children:
    os.kill(child, 9)
    os.waitpid(child, 0)
"""


class Alternatives(attach.AttachCase):
    """What an explanation says of such workers."""

    def trace(self, program, kind):
        """(what happened while usual calls waited, first sentences, what to do, all of the text)"""
        other = os.path.join(self.folder, "other")
        shutil.copy(os.path.realpath(sys.executable), other)
        process = self.spawn([sys.executable, "-c", program, kind, BURSTS, CALLS, other], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE)
        children = process.stdout.readline().split()[1:]
        with self.attached("--level", "deep", "-p", ",".join(children), stop=False) as attachment:
            _, err = process.communicate("go\n", timeout=60 * harness.PATIENCE)
        self.assertEqual((process.returncode, err), (0, ""))
        options = ("explain", attachment.recording, "--unit", "call")
        explanation = json.loads(harness.ipctrace(*options, "-f", "json").out)
        return (explanation["base_meanwhile"], explanation["headline"], explanation["to_do"],
                harness.ipctrace(*options).out)

    def check_none(self, meanwhile, text):
        """No thread is said to have been free."""
        patience.demand(1 - meanwhile["asleep_share"], 0.8, f"share in which none is free: {meanwhile}")
        self.assertNotIn("in the same epoll", text)
        self.assertNotIn("SO_REUSEPORT", text)

    def check_port(self, meanwhile):
        """The second worker sleeps at its own socket."""
        patience.demand(meanwhile["asleep_share"], 0.5, ASLEEP)
        self.assertEqual(meanwhile["asleep_shares"], "port", meanwhile)
        self.assertEqual(meanwhile["asleep_comm"], "worker-1")

    def test_batch(self):
        """a worker takes all events, and the other one sleeps in that epoll"""
        meanwhile, headline, to_do, _ = self.trace(EPOLL, "batch")
        patience.demand(meanwhile["asleep_share"], 0.1, ASLEEP)
        self.assertEqual(meanwhile["asleep_shares"], "epoll", meanwhile)
        self.assertIn(meanwhile["asleep_comm"], ("worker-0", "worker-1"))
        if meanwhile["asleep_share"] >= 0.25 and "serves other calls" in headline:
            self.assertIn("which waits in the same epoll, sleeps for", headline)
            patience.demand_said("maxevents 1", to_do or "")  # it is for what takes the most time

    def test_one(self):
        """the cure: none sleeps while there is an event"""
        meanwhile, _, _, text = self.trace(EPOLL, "one")
        self.assertGreater(meanwhile["waited_ns"], 1000000)
        self.check_none(meanwhile, text)

    def test_apart(self):
        """a worker that sleeps in another epoll could not have taken them"""
        meanwhile, _, _, text = self.trace(EPOLL, "apart")
        self.assertGreater(meanwhile["waited_ns"], 1000000)
        self.assertEqual(meanwhile["asleep_share"], 0, meanwhile)
        self.check_none(meanwhile, text)

    def test_pipelined(self):
        """nor could it while the first one handles that connection"""
        meanwhile, _, _, text = self.trace(EPOLL, "pipelined")
        self.assertGreater(meanwhile["waited_ns"], 1000000)
        patience.demand(1 - meanwhile["asleep_share"], 0.8, f"share in which it is not free: {meanwhile}")
        self.check_none(meanwhile, text)

    def test_uneven(self):
        """the kernel has given all connections to one of two sockets"""
        meanwhile, headline, to_do, _ = self.trace(PORT, "uneven")
        self.check_port(meanwhile)
        if "serves other calls" in headline:
            self.assertIn("which has another socket on the same port (SO_REUSEPORT), sleeps for", headline)
            self.assertIn("SO_ATTACH_REUSEPORT_EBPF", to_do)

    def test_datagrams(self):
        """the same of UDP sockets"""
        meanwhile, *_ = self.trace(UDP, "uneven")
        self.check_port(meanwhile)

    def test_even(self):
        """the cure: both are busy"""
        meanwhile, _, _, text = self.trace(PORT, "even")
        self.assertGreater(meanwhile["waited_ns"], 1000000)
        self.check_none(meanwhile, text)

    def test_stranger(self):
        """another program at the port is no alternative"""
        meanwhile, _, _, text = self.trace(PORT, "stranger")
        self.assertEqual(meanwhile["asleep_share"], 0, meanwhile)
        self.check_none(meanwhile, text)


if __name__ == "__main__":
    tap.main()
