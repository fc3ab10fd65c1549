# SPDX-License-Identifier: BSD-2-Clause
"""Causes in what a service does: memory, files, sleeps, and calls to others."""

import ctypes
import fcntl
import gc
import mmap
import os
import random
import resource
import select
import socket
import tempfile
import time

from planted import LIBC, answer, ask, attach_to, connect, cured, listen, plant, receive, repeat, serve, start


def call_one(handle, every=.01):
    """Calls to one server."""
    listener = listen("server")
    attach_to(start(serve, listener, handle, name="server"))
    client = connect("server")
    repeat(lambda: ask(client), every)


@plant("redpanda-data/redpanda#10418", r"page faults?")
def page_faults():
    """each request touches 16 MB of new memory"""
    size = 16 << 20
    kept = mmap.mmap(-1, size)
    kept.write(bytes(size))

    def handle(_):
        memory = kept if cured() else mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        if not cured():
            memory.madvise(mmap.MADV_NOHUGEPAGE)
        for at in range(0, size, 4096):
            memory[at] = 1
    call_one(handle, .02)


@plant("gperftools/gperftools#754", r"madvise")
def memory_given_back():
    """each request gives 64 MB back by madvise, and takes them again"""
    size = 64 << 20
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    begin = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.from_buffer(memory)))

    def handle(_):
        if not cured():
            LIBC.madvise(begin, ctypes.c_size_t(size), 23)  # MADV_POPULATE_WRITE
            LIBC.madvise(begin, ctypes.c_size_t(size), 4)  # MADV_DONTNEED
    call_one(handle, .02)


@plant("LMCache/LMCache#4245", r"\d ms\), the server runs its own code")
def collector():
    """a collection of all garbage in a request walks over 400,000 live objects"""
    alive = [[] for _ in range(400_000)]
    gc.disable()
    if cured():
        gc.freeze()
    call_one(lambda _: gc.collect(), .02)
    del alive


@plant("BetterDB-inc/monitor#368", r"f(data)?sync")
def fsync():
    """each request writes to a file and calls fsync"""
    with tempfile.TemporaryFile(dir="/var/tmp") as file:
        def handle(_):
            file.write(bytes(4096))
            file.flush()
            if not cured():
                os.fsync(file.fileno())
        call_one(handle)


@plant("etcd-io/etcd#13587", r"for \w+, which is busy with requests of backup")
def busy_disk():
    """each request is written to a log (O_SYNC), while a backup writes to the same disk"""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        log = os.open(os.path.join(folder, "log"), os.O_CREAT | os.O_WRONLY | os.O_SYNC)

        def backup():
            block = mmap.mmap(-1, 1 << 20)
            file = os.open(os.path.join(folder, "backup"), os.O_CREAT | os.O_WRONLY | os.O_DIRECT)
            while True:
                for at in range(4):
                    os.pwrite(file, block, at * len(block))

        def handle(_):
            os.pwrite(log, bytes(4096), 0)

        if not cured():
            start(backup, name="backup")
        call_one(handle)


@plant("kcenon/thread_system#598", r"nanosleep|sleep.*own timeout")
def polling():
    """the server looks for requests every 10 ms, and sleeps in between"""
    listener = listen("server")

    def server():
        connection = listener.accept()[0]
        connection.setblocking(cured())
        while True:
            try:
                if not connection.recv(8):
                    break
                connection.send(b"ok")
            except BlockingIOError:
                time.sleep(.01)

    attach_to(start(server))
    client = connect("server")
    repeat(lambda: ask(client))


@plant("oven-sh/bun#35953", r"in vain.*EAGAIN")
def full_pipe():
    """each request writes a line to a log through a pipe that is full; the server tries again at once, without poll"""
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    os.set_blocking(writer, False)
    line = bytes(2048)

    def log():
        while os.read(reader, 2048):
            time.sleep(.004)

    def handle(_):
        while LIBC.write(writer, line, len(line)) < 0:
            if cured():
                select.select([], [writer], [])
    start(log)
    call_one(handle, .001)


@plant("SoftEtherVPN/SoftEtherVPN#163", r"in vain.*EAGAIN")
def scan():
    """the server asks each of its 2000 connections in turn whether there is a request, without poll"""
    listener = listen("server", 2100)
    LIBC.recv.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]

    def server():
        connections = [listener.accept()[0] for _ in range(2000)]
        numbers = [connection.fileno() for connection in connections]
        request = ctypes.create_string_buffer(8)
        poll = select.epoll()
        for number in numbers:
            poll.register(number, select.EPOLLIN)
        while True:
            for number in [ready for ready, _ in poll.poll()] if cured() else numbers:
                if LIBC.recv(number, request, 8, socket.MSG_DONTWAIT) == 8:
                    os.write(number, b"ok")

    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
    attach_to(start(server))
    clients = [connect("server") for _ in range(2000)]
    repeat(lambda: ask(clients[1234]))


@plant("openjdk/jdk#13889", r"slack")
def timer_slack():
    """each request sleeps for 20 us; the timer slack of 50 us more than doubles that"""
    if cured():
        LIBC.prctl(29, ctypes.c_ulong(1))  # PR_SET_TIMERSLACK
    call_one(lambda _: time.sleep(.00002))


@plant("lalinsky/zio#500", r"epoll_wait.*own timeout|own timeout of 1")
def rounded_timeout():
    """each request waits for 0.1 ms in epoll_wait, which rounds that up to 1 ms"""
    poll = select.epoll()
    call_one(lambda _: time.sleep(.0001) if cured() else poll.poll(.0001))


@plant("agentgateway/agentgateway#1506", r"one after another", r"one after another|backend")
def fan_out():
    """a gateway asks 8 backends, 1 ms each, one after another"""
    listener, behind = listen("gateway"), [listen(f"backend-{i}") for i in range(8)]

    def gateway():
        backends = [connect(f"backend-{i}") for i in range(8)]

        def handle(_):
            if cured():
                for connection in backends:
                    connection.sendall(b"request.")
                for connection in backends:
                    receive(connection, 2)
            else:
                for connection in backends:
                    ask(connection)
        answer(listener.accept()[0], handle)

    for i in range(8):
        start(serve, behind[i], lambda _: time.sleep(.001), name=f"backend-{i}")
    attach_to(start(gateway))
    client = connect("gateway")
    repeat(lambda: ask(client))


@plant("webhookdb/webhookdb#421", r"database sleeps in clock_nanosleep")
def chain():
    """gateway, worker and database in a row: one call in 20 waits for the database, which sleeps for 20 ms"""
    gateway_socket, worker_socket, store_socket = listen("gateway"), listen("worker"), listen("store")

    def forward(listener, name):
        behind = connect(name)
        answer(listener.accept()[0], lambda _: ask(behind))

    def slow_now_and_then(_):
        if not cured() and random.random() < .05:
            time.sleep(.02)

    start(serve, store_socket, slow_now_and_then, name="database")
    start(forward, worker_socket, "store", name="worker")
    attach_to(start(forward, gateway_socket, "worker", name="gateway"))
    client = connect("gateway")
    repeat(lambda: ask(client))
