# SPDX-License-Identifier: BSD-2-Clause
"""Causes in TCP, and in buffers."""

import os
import socket
import subprocess
import time

from planted import (LIBC, ask, attach_to, connect, cured, listen, listen_tcp, plant, receive, repeat, start,
                     work)

NO_DELAY = (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


@plant("uNetworking/uWebSockets#639", r"[Cc]ork|TCP_CORK")
def cork():
    """the server corks its answer and forgets to uncork: the kernel keeps it for 200 ms"""
    listener = listen_tcp()

    def server():
        connection = listener.accept()[0]
        connection.setsockopt(*NO_DELAY)
        while receive(connection):
            if not cured():
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
            connection.sendall(b"head")
            connection.sendall(b"body")

    attach_to(start(server))
    client = socket.create_connection(listener.getsockname())
    client.setsockopt(*NO_DELAY)

    def call():
        client.sendall(b"request.")
        receive(client, 8)
    repeat(call)


@plant("python/asyncio#311", r"Nagle|acknowledg")
def head_and_body():
    """the server writes head and body of its answer apart: the body waits for the client's delayed acknowledgement"""
    listener = listen_tcp()

    def server():
        connection = listener.accept()[0]
        if cured():
            connection.setsockopt(*NO_DELAY)
        while receive(connection):
            connection.sendall(b"head" * 40)
            connection.sendall(b"body")

    attach_to(start(server))
    client = socket.create_connection(listener.getsockname())

    def call():
        client.sendall(b"request.")
        receive(client, 164)
    repeat(call)


@plant("netty/netty#4724", r"send buffer|SO_SNDBUF|acknowledg")
def small_send_buffer():
    """answers of 400,000 bytes through a send buffer of 4608 bytes"""
    listener = listen_tcp()
    size = 400_000

    def server():
        connection = listener.accept()[0]
        if not cured():
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2304)
        while receive(connection):
            connection.sendall(bytes(size))

    attach_to(start(server))
    client = socket.create_connection(listener.getsockname())
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2 << 20)

    def call():
        client.sendall(b"request.")
        receive(client, size)
    repeat(call)


@plant("mochi-mqtt/server#95", r"slow-sub", r"slow-sub")
def slow_subscriber():
    """a broker sends to each subscriber in turn; one reads too slowly, and the publisher waits for its turn"""
    listener = listen("broker")

    def broker():
        publisher, quick, slow = (listener.accept()[0] for _ in range(3))
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4608)
        while message := receive(publisher, 1024):
            quick.sendall(message)
            slow.sendall(message)
            publisher.sendall(b"ok")

    def subscriber(pause):
        connection = connect("broker")
        while connection.recv(4096):
            time.sleep(pause)

    attach_to(start(broker))
    publisher = connect("broker")
    time.sleep(.1)
    start(subscriber, 0, name="quick-sub")
    time.sleep(.1)
    start(subscriber, 0 if cured() else .02, name="slow-sub")
    time.sleep(.1)
    repeat(lambda: ask(publisher, bytes(1024)), .002)


@plant("Agent-Field/agentfield#985", r"logger", r"logger")
def full_log_pipe():
    """the server writes a line to a pipe for each request; the logger behind it does not keep up"""
    listener = listen("server")

    def server():
        reading, writing = pipe
        reading.close()
        connection = listener.accept()[0]
        while receive(connection):
            writing.write(bytes(4096))
            connection.sendall(b"ok")

    def logger():
        pipe[1].close()
        while pipe[0].read(4096):
            if not cured():
                time.sleep(.015)

    pipe = make_pipe()
    start(logger)
    attach_to(start(server))
    client = connect("server")
    repeat(lambda: ask(client), .002)


@plant("systemd/systemd#5720", r"journal", r"journal")
def full_log_socket():
    """the server logs to a unix datagram socket, whose reader is slow: its queue is full"""
    listener = listen("server")
    log = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    log.bind(b"\0planted.log." + listener.getsockname()[1:])

    def journal():
        while log.recv(512):
            if not cured():
                time.sleep(.004)

    def server():
        out = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        out.connect(log.getsockname())
        connection = listener.accept()[0]
        while receive(connection):
            out.send(b"<30>Jan  1 00:00:00 server: request")
            connection.sendall(b"ok")

    start(journal)
    attach_to(start(server))
    client = connect("server")
    repeat(lambda: ask(client), .002)


def make_pipe():
    """Both ends of a pipe, as files without a buffer."""
    reading, writing = os.pipe()
    return os.fdopen(reading, "rb", 0), os.fdopen(writing, "wb", 0)


@plant("grobian/carbon-c-relay#270", r"receive buffer was full")
def udp_burst():
    """bursts of 300 datagrams meet a receive buffer for 100 and a busy receiver; the sender asks again after 50 ms"""
    receiver, sender = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
    receiver.setsockopt(socket.SOL_SOCKET, 33, (8 << 20) if cured() else (64 << 10))  # SO_RCVBUFFORCE
    receiver.bind(("127.0.0.1", 0))
    sender.connect(receiver.getsockname())

    def relay():
        seen = 0
        while True:
            data, client = receiver.recvfrom(2048)
            if data[:1] == b"0":
                work(.005)
                seen = 0
            seen += 1
            if seen == 300:
                receiver.sendto(b"all", client)

    def call():
        for i in range(300):
            sender.send((b"%d " % min(i, 1)).ljust(500))
        try:
            sender.recv(8)
        except TimeoutError:
            pass

    attach_to(start(relay))
    sender.settimeout(.05)
    repeat(call, .02)


@plant("containernetworking/plugins#1025", r"queue \(qdisc\) of the sender's network device", r"qdisc")
def device_queue():
    """the device has a rate of 40 Mbit/s and a deep queue (tc tbf), in which answers of 60,000 bytes wait"""
    new_network = 0x40000000
    LIBC.unshare(new_network)
    subprocess.run("ip link set lo mtu 1500 up", shell=True, check=True)
    if not cured():
        subprocess.run("tc qdisc add dev lo root tbf rate 40mbit burst 6k latency 400ms", shell=True, check=True)
    listener = listen_tcp()

    def server():
        connection = listener.accept()[0]
        while receive(connection):
            connection.sendall(bytes(60000))

    attach_to(start(server))
    client = socket.create_connection(listener.getsockname())

    def call():
        client.sendall(b"request.")
        receive(client, 60000)
    repeat(call)
