# SPDX-License-Identifier: BSD-2-Clause
"""
What the planted causes share. Each is a function with the decorator @plant in a file of this folder. It starts the
programs, says with attach_to() which process to look at, and makes calls until END; cured() says whether it has to do
the same without the cause. scripts/causes runs them.
"""

import collections
import ctypes
import mmap
import os
import signal
import socket
import sys
import time

LIBC = ctypes.CDLL(None, use_errno=True)
SECONDS = float(os.environ.get("SECONDS_PLANTED", "7"))
END = time.monotonic() + SECONDS

Cause = collections.namedtuple("Cause", "name report sentence lines function")
CAUSES = {}


def plant(report, sentence, lines=None):
    """
    Adds a cause. report: where it was reported, owner/name#number. sentence: a regular expression that names the
    cause in the first sentence of an explanation, and only there if the cause is planted; lines: one for the first
    ten lines, if more words do.
    """
    def add(function):
        name = function.__name__.replace("_", "-")
        CAUSES[name] = Cause(name, report, sentence, lines or sentence, function)
        return function
    return add


def cured():
    """Whether the cause has to be left out."""
    return bool(os.environ.get("CURED"))


def set_name(name):
    """Names the thread."""
    with open("/proc/thread-self/comm", "w", encoding="ascii") as file:
        file.write(name)


def start(function, *args, name=None):
    """Runs a function in a process of its own, and returns its PID."""
    sys.stdout.flush()
    pid = os.fork()
    if pid:
        return pid
    try:
        set_name(name or function.__name__)
        function(*args)
    except (ConnectionError, KeyboardInterrupt):
        pass
    finally:
        os._exit(0)


def attach_to(pid):
    """Says which process to look at."""
    print(pid, flush=True)


def pin(*cpus):
    """Keeps this process on these CPUs."""
    os.sched_setaffinity(0, cpus)


def work(seconds):
    """Keeps a CPU busy."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def listen(name, backlog=64):
    """A listening unix socket."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(f"\0planted.{os.getpgrp()}.{name}")
    listener.listen(backlog)
    return listener


def connect(name):
    """A connection to such a socket."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(f"\0planted.{os.getpgrp()}.{name}")
    return connection


def listen_tcp(backlog=64):
    """A listening TCP socket."""
    return socket.create_server(("127.0.0.1", 0), backlog=backlog)


def receive(connection, count=8):
    """Receives so many bytes, or b"" at the end."""
    data = b""
    while len(data) < count:
        more = connection.recv(count - len(data))
        if not more:
            return b""
        data += more
    return data


def answer(connection, handle):
    """Answers requests of 8 bytes on a connection."""
    while request := receive(connection):
        handle(request)
        connection.sendall(b"ok")


def serve(listener, handle):
    """Accepts one connection and answers its requests."""
    answer(listener.accept()[0], handle)


def ask(connection, request=b"request."):
    """One call."""
    connection.sendall(request)
    receive(connection, 2)


def repeat(call, every=.01):
    """Calls until the end."""
    while time.monotonic() < END:
        call()
        time.sleep(every)


def forever(seconds, pause):
    """Computes and sleeps in turns."""
    while True:
        work(seconds)
        time.sleep(pause)


def stop_now_and_then(pid, every, length):
    """Stops a process by a signal."""
    while True:
        time.sleep(every - length)
        os.kill(pid, signal.SIGSTOP)
        time.sleep(length)
        os.kill(pid, signal.SIGCONT)


class Shared:
    """Locks of the C library between processes, in shared memory."""

    def __init__(self):
        self.memory = mmap.mmap(-1, 4096)
        begin = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        self.mutex, self.condition, self.semaphore = (ctypes.c_void_p(begin + at) for at in (0, 256, 512))
        self.jobs = ctypes.c_int.from_address(begin + 1024)
        attribute = (ctypes.c_char * 64)()
        LIBC.pthread_mutexattr_init(attribute)
        LIBC.pthread_mutexattr_setpshared(attribute, 1)
        LIBC.pthread_mutex_init(self.mutex, attribute)
        attribute = (ctypes.c_char * 64)()
        LIBC.pthread_condattr_init(attribute)
        LIBC.pthread_condattr_setpshared(attribute, 1)
        LIBC.pthread_cond_init(self.condition, attribute)
        LIBC.sem_init(self.semaphore, 1, 1)

    def __enter__(self):
        LIBC.pthread_mutex_lock(self.mutex)

    def __exit__(self, *_):
        LIBC.pthread_mutex_unlock(self.mutex)
