# SPDX-License-Identifier: BSD-2-Clause
"""Causes in waits for one another: calls and locks in a circle, which only a timeout ends."""

import fcntl
import select
import tempfile

from planted import answer, ask, attach_to, connect, cured, listen, plant, receive, repeat, serve, start


def ask_for(connection, seconds):
    """A call that is given up after this time. Whether it was answered."""
    connection.sendall(b"request.")
    is_there = bool(select.select([connection], [], [], seconds)[0])
    if is_there:
        receive(connection, 2)
    return is_there


def answer_all(connections, handle):
    """One thread answers the requests of several connections."""
    while True:
        for connection in select.select(connections, [], [])[0]:
            request = receive(connection)
            if not request:
                return
            handle(connection, request)
            connection.sendall(b"ok")


@plant("fastapi/fastapi#3962", r"a circle")
def calls_in_a_circle():
    """a service asks a worker, which asks the service in turn, whose only thread is busy: given up after 50 ms"""
    front, back, inner = listen("service"), listen("worker"), listen("inner")

    def service():
        worker = connect("worker")
        client, callback = front.accept()[0], inner.accept()[0]
        answer_all([client, callback], lambda asker, _: asker is client and ask(worker))

    def worker():
        to_service = connect("inner")
        pending = 0

        def handle(_):
            nonlocal pending
            while pending:
                receive(to_service, 2)
                pending -= 1
            if not cured():
                pending += not ask_for(to_service, .05)
        answer(back.accept()[0], handle)

    start(worker)
    attach_to(start(service))
    client = connect("service")
    repeat(lambda: ask(client))


@plant("palantir/atlasdb#2089", r"a circle")
def call_to_itself():
    """a server with one thread asks itself over a connection of its own, and gives up after 50 ms"""
    front, inner = listen("server"), listen("inner")

    def server():
        itself, client = connect("inner"), front.accept()[0]
        callback = inner.accept()[0]
        pending = 0

        def handle(asker, _):
            nonlocal pending
            if asker is client and not cured():
                while pending and select.select([itself], [], [], 0)[0]:
                    receive(itself, 2)
                    pending -= 1
                pending += not ask_for(itself, .05)
        answer_all([client, callback], handle)

    attach_to(start(server))
    client = connect("server")
    repeat(lambda: ask(client))


@plant("orbs-network/orbs-network-go#195", r"a circle")
def call_with_a_lock():
    """a service keeps a file locked while it asks a worker, which wants the same lock: given up after 50 ms"""
    front, back = listen("service"), listen("worker")
    path = tempfile.mkstemp(prefix="planted.")[1]

    def service():
        worker = connect("worker")
        pending = 0
        with open(path, "wb") as file:
            def handle(_):
                nonlocal pending
                while pending:
                    receive(worker, 2)
                    pending -= 1
                if not cured():
                    fcntl.flock(file, fcntl.LOCK_EX)
                pending += not ask_for(worker, .05)
                fcntl.flock(file, fcntl.LOCK_UN)
            serve(front, handle)

    def worker():
        with open(path, "wb") as file:
            def handle(_):
                fcntl.flock(file, fcntl.LOCK_EX)
                fcntl.flock(file, fcntl.LOCK_UN)
            serve(back, handle)

    start(worker)
    attach_to(start(service))
    client = connect("service")
    repeat(lambda: ask(client))


def ask_once(name, request=b"request.", seconds=None):
    """A call on a connection of its own, given up after this time."""
    with connect(name) as connection:
        connection.sendall(request)
        if not seconds or select.select([connection], [], [], seconds)[0]:
            receive(connection, 2)


def answer_each(listener, handle):
    """One thread answers a request of each connection."""
    while True:
        with listener.accept()[0] as connection:
            handle(receive(connection))
            try:
                connection.sendall(b"ok")
            except ConnectionError:
                pass  # it was given up


@plant("vibe-d/vibe.d#1375", r"a circle")
def connections_in_a_circle():
    """calls in a circle again, each on a connection of its own"""
    front, back = listen("service"), listen("worker")

    def service():
        answer_each(front, lambda request: request == b"request." and ask_once("worker"))

    def worker():
        answer_each(back, lambda _: cured() or ask_once("service", b"back....", .05))

    start(worker)
    attach_to(start(service))
    repeat(lambda: ask_once("service"))


@plant("benoitc/gunicorn#134", r"a circle")
def connection_to_itself():
    """a server with one thread connects to itself to ask, and gives up after 50 ms"""
    listener = listen("server")

    def server():
        answer_each(listener, lambda request: cured() or request != b"request."
                    or ask_once("server", b"itself..", .05))

    attach_to(start(server))
    repeat(lambda: ask_once("server"))
