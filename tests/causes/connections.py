# SPDX-License-Identifier: BSD-2-Clause
"""Causes in the making of connections."""

import fcntl
import os
import resource
import socket
import struct
import threading
import time

from planted import END, LIBC, answer, ask, attach_to, connect, cured, listen, listen_tcp, plant, receive, repeat, start, work


@plant("php/php-src#23669", r"EAGAIN|accept queue .*full", r"EAGAIN|accept queue")
def unix_backlog():
    """a burst of 8 connects meets a unix socket with a backlog of 1: EAGAIN, tried again after 10 ms"""
    listener = listen("unix", 64 if cured() else 1)

    def server():
        while True:
            connection = listener.accept()[0]
            receive(connection)
            work(.001)
            connection.sendall(b"ok")
            connection.close()

    def one():
        connection = socket.socket(socket.AF_UNIX)
        connection.setblocking(False)
        while True:
            try:
                connection.connect(listener.getsockname())
                break
            except BlockingIOError:
                time.sleep(.01)
        connection.setblocking(True)
        ask(connection)
        connection.close()

    def burst():
        threads = [threading.Thread(target=one) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    attach_to(start(server))
    repeat(burst, .05)


def ask_anew(address):
    """A call on a connection of its own."""
    with socket.create_connection(address) as connection:
        ask(connection)


def serve_in_threads(listener, before=lambda: None):
    """Starts a thread for each connection, after `before`, in which connections are accepted one after another."""
    def answer_one(connection):
        with connection:
            answer(connection, lambda _: None)

    while True:
        connection = listener.accept()[0]
        before()
        threading.Thread(target=answer_one, args=(connection,)).start()


@plant("harness/harness#644", r"after accept4? has failed \(EMFILE\)")
def descriptors_run_out():
    """the server has no descriptor left, tries again to accept every 20 ms, and starts a thread for each connection"""
    listener = listen_tcp()

    def server():
        kept = []
        while not cured():
            try:
                kept.append(os.dup(0))
            except OSError:
                break
        while True:
            if kept:
                try:
                    listener.accept()
                except OSError:
                    time.sleep(.02)
                    os.close(kept.pop())
            connection = listener.accept()[0]
            thread = threading.Thread(target=lambda: answer(connection, lambda _: None))
            thread.start()
            thread.join()
            connection.close()
            if not cured():
                kept.append(os.dup(0))

    resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
    attach_to(start(server))
    repeat(lambda: ask_anew(listener.getsockname()))


@plant("xrootd/xrootd#33", r"sleeps in recvfrom until resolver|until resolver")
def lookup_on_accept():
    """the accepting thread asks a resolver of 10 ms for each connection before it starts a thread for it"""
    listener, names = listen_tcp(), listen("resolver")

    def resolver():
        while True:
            answer(names.accept()[0], lambda _: time.sleep(0 if cured() else .01))

    def server():
        to_resolver = connect("resolver")
        serve_in_threads(listener, lambda: ask(to_resolver))

    start(resolver)
    attach_to(start(server))

    def burst():
        threads = [threading.Thread(target=ask_anew, args=(listener.getsockname(),)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    repeat(burst, .02)


@plant("varnish/hitch#213", r"EADDRNOTAVAIL|local ports?", r"EADDRNOTAVAIL|local ports?")
def no_port_left():
    """a connection for each request, and 21 local ports for them: EADDRNOTAVAIL, tried again after 20 ms"""
    LIBC.unshare(0x40000000)  # CLONE_NEWNET
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, 0x8914, struct.pack("16sH14x", b"lo", 0x41))  # SIOCSIFFLAGS: up
    with open("/proc/sys/net/ipv4/ip_local_port_range", "w", encoding="ascii") as file:
        file.write("32768 60999" if cured() else "40000 40020")
    listener = socket.create_server(("127.0.0.1", 3000), backlog=64)

    def server():
        while True:
            connection = listener.accept()[0]
            receive(connection)
            connection.sendall(b"ok")
            receive(connection)
            connection.close()

    def call():
        while True:
            try:
                connection = socket.create_connection(listener.getsockname())
                break
            except OSError:
                time.sleep(.02)
        ask(connection)
        connection.close()

    attach_to(start(server))
    repeat(call, .005)


@plant("internetarchive/openlibrary#13680", r"connect(s|ion|ing)?\b", r"new connection|connect")
def connection_per_request():
    """each request opens a TCP connection, for which the server starts a thread"""
    listener = listen_tcp()

    def one(connection):
        answer(connection, lambda _: None)
        connection.close()

    def server():
        while True:
            threading.Thread(target=one, args=listener.accept()[:1]).start()

    attach_to(start(server))
    if cured():
        kept = socket.create_connection(listener.getsockname())
        repeat(lambda: ask(kept))
        return

    def call():
        connection = socket.create_connection(listener.getsockname())
        ask(connection)
        connection.close()
    repeat(call)


@plant("zeromq/zmq.rs#289", r"ECONNREFUSED|refused")
def refused():
    """the server has no socket for 30 ms of each 150 ms: ECONNREFUSED, tried again after 100 ms"""
    listener = listen_tcp()
    address = listener.getsockname()
    listener.close()

    def server():
        while True:
            with socket.create_server(address, backlog=64) as again:
                end = time.monotonic() + .12
                again.settimeout(.02)
                while cured() or time.monotonic() < end:
                    try:
                        connection = again.accept()[0]
                    except TimeoutError:
                        continue
                    receive(connection)
                    connection.sendall(b"ok")
                    connection.close()
            time.sleep(.03)

    def call():
        while time.monotonic() < END:
            try:
                connection = socket.create_connection(address)
                ask(connection)
                connection.close()
                return
            except ConnectionError:
                time.sleep(.1)

    attach_to(start(server))
    time.sleep(.1)
    repeat(call)


@plant("systemd/systemd#5953", r"own timeout of (49|50)", r"own timeout of (49|50)|replica")
def retry_after_timeout():
    """a gateway asks a replica that does not answer, and after its own timeout of 50 ms another one"""
    listener, good, bad = listen("front"), listen("good"), listen("bad")

    def replica():
        connection = good.accept()[0]
        answer(connection, lambda _: None)

    def mute():
        connection = bad.accept()[0]
        while receive(connection):
            pass

    def gateway():
        first = socket.socket(socket.AF_UNIX)
        first.connect((good if cured() else bad).getsockname())
        second = socket.socket(socket.AF_UNIX)
        if not cured():
            second.connect(good.getsockname())
        first.settimeout(.05)

        def handle(_):
            try:
                ask(first)
            except TimeoutError:
                ask(second)
        answer(listener.accept()[0], handle)

    start(replica)
    start(mute)
    attach_to(start(gateway))
    client = socket.socket(socket.AF_UNIX)
    client.connect(listener.getsockname())
    repeat(lambda: ask(client))


@plant("kubernetes/kubernetes#56903", r"drop", r"drop|timeout")
def lost_datagram():
    """as a DNS client: queries in bursts of 20 overrun the server's small buffer, and are sent again after 100 ms"""
    server_socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server_socket.bind(("127.0.0.1", 0))
    server_socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20 if cured() else 4096)

    def server():
        while True:
            data, address = server_socket.recvfrom(512)
            work(.0002)
            server_socket.sendto(data, address)

    client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    client.connect(server_socket.getsockname())
    client.settimeout(.1)

    def burst():
        missing = {os.urandom(8) for _ in range(20)}
        while missing:
            for query in missing:
                client.send(query.ljust(64))
            try:
                while missing:
                    missing.discard(client.recv(512)[:8])
            except TimeoutError:
                pass

    attach_to(start(server))
    repeat(burst, .02)
