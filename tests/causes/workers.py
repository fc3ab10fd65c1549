# SPDX-License-Identifier: BSD-2-Clause
"""Causes in how calls are divided among the workers of a service."""

import select
import socket
import time

from planted import END, attach_to, cured, plant, start, work


def burst(clients, milliseconds):
    """A request of so many milliseconds from each client at the same time."""
    for client in clients:
        client.sendall(bytes([milliseconds]))
    for client in clients:
        client.recv(1)


@plant("Shopify/pitchfork#40", r"in the same epoll", r"same epoll|maxevents")
def epoll_batch():
    """two workers wait in one epoll; the one that is free first takes all 10 events of a burst, the other one sleeps"""
    pairs = [socket.socketpair() for _ in range(12)]
    flags = select.EPOLLIN | select.EPOLLONESHOT
    epoll = select.epoll()
    servers = {server.fileno(): server for server, _ in pairs}
    for server in servers:
        epoll.register(server, flags)

    def worker():
        while True:
            for fd, _ in epoll.poll(maxevents=1 if cured() else 64):
                work(servers[fd].recv(1)[0] / 1000)
                servers[fd].sendall(b"k")
                epoll.modify(fd, flags)

    workers = [start(worker, name=f"worker-{number}") for number in range(2)]
    attach_to(",".join(map(str, workers)))
    clients = [client for _, client in pairs]
    while time.monotonic() < END:
        for client, milliseconds in zip(clients, (5, 7)):
            client.sendall(bytes([milliseconds]))
            time.sleep(.001)
        burst(clients[2:], 4)
        for client in clients[:2]:
            client.recv(1)
        time.sleep(.03)


@plant("varnish/hitch#142", r"same port \(SO_REUSEPORT\)", r"SO_REUSEPORT")
def uneven_port():
    """two workers with a socket each on one port; the kernel's hash gives all 8 busy connections to the first one"""
    listeners = []
    for _ in range(2):
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        listener.bind(listeners[0].getsockname() if listeners else ("127.0.0.1", 0))
        listener.listen(64)
        listeners.append(listener)

    def worker(number):
        listeners[1 - number].close()
        epoll = select.epoll()
        epoll.register(listeners[number], select.EPOLLIN)
        connections = {}
        while True:
            for fd, _ in epoll.poll():
                if fd == listeners[number].fileno():
                    connection = listeners[number].accept()[0]
                    connections[connection.fileno()] = connection
                    epoll.register(connection, select.EPOLLIN)
                elif request := connections[fd].recv(1):
                    work(request[0] / 1000)
                    connections[fd].sendall(bytes([number]))
                else:
                    connections.pop(fd).close()

    workers = [start(worker, number, name=f"worker-{number}") for number in range(2)]
    address = listeners[0].getsockname()
    for listener in listeners:
        listener.close()
    attach_to(",".join(map(str, workers)))
    while time.monotonic() < END:
        clients = [[], []]
        while len(clients[0]) < 8 or len(clients[1]) < 4:
            client = socket.create_connection(address)
            client.sendall(b"\0")
            clients[client.recv(1)[0]].append(client)
        busy = clients[0][:4] + clients[1][:4] if cured() else clients[0][:8]
        for _ in range(10):
            burst(busy, 3)
            time.sleep(.03)
        for client in clients[0] + clients[1]:
            client.close()
