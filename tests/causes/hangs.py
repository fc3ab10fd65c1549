# SPDX-License-Identifier: BSD-2-Clause
"""Causes for which a program hangs: it waits for another one, which never receives or sends."""

import os
import socket
import subprocess
import sys
import time

from planted import END, attach_to, cured, plant, receive, start

MEGABYTE = b"x" * (1 << 20)


def child(text):
    """A Python program with pipes to it and from it."""
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-c", text], stdin=pipe, stdout=pipe)  # pylint: disable=R1732


@plant("dsheets/ocaml-process#2", r"waits in write for room .*python3 .*waits in write for room .*a circle")
def pipes_in_a_circle():
    """a program writes a megabyte to a child, which writes a megabyte before it reads"""
    attach_to(os.getpid())
    while time.monotonic() < END:
        with child("import sys; sys.stdout.buffer.write(b'x' * (1 << 20)); sys.stdin.buffer.read()") as process:
            if cured():
                process.communicate(MEGABYTE)
            else:
                process.stdin.write(MEGABYTE)


@plant("aoh/radamsa#43", r"fuzzer .*waits in write for room .*sleeps in wait4")
def wait_before_read():
    """a program waits until its child has exited, which waits for room in the pipe to that program"""
    reading, writing = os.pipe()

    def fuzzer():
        os.close(reading)
        while cured():
            os.write(writing, b"x" * 1000)
            time.sleep(.01)
        while True:
            os.write(writing, MEGABYTE)

    attach_to(os.getpid())
    pid = start(fuzzer)
    os.close(writing)
    while cured() and time.monotonic() < END:
        os.read(reading, 1000)
    os.waitpid(pid, 0)


@plant("dotnet/runtime#29564", r"waits in read for data from .*waits in read for data from .*a circle")
def line_without_an_end():
    """a program sends a child a line without its end, and waits for an answer to it"""
    attach_to(os.getpid())
    with child("import sys\nfor line in sys.stdin:\n    print('answer', flush=True)") as process:
        while time.monotonic() < END:
            process.stdin.write(b"line\n" if cured() else b"line")
            process.stdin.flush()
            process.stdout.readline()
            time.sleep(.01)


@plant("petergoldstein/dalli#776", r"had waited for .* in sendto for room in the channel to server .*a circle")
def late_circle():
    """a client sends requests over TCP without reading answers: after a second of calls, both wait for room"""
    listener = socket.create_server(("127.0.0.1", 0))
    address = listener.getsockname()

    def server():
        connection = listener.accept()[0]
        while request := connection.recv(1000):
            connection.sendall(request * 4)

    attach_to(start(server))
    listener.close()
    client = socket.create_connection(address)
    until = time.monotonic() + 3
    while time.monotonic() < (END if cured() else until):
        client.sendall(b"x" * 100)
        receive(client, 400)
        time.sleep(.01)
    client.sendall(MEGABYTE * 8)
