# SPDX-License-Identifier: BSD-2-Clause
"""Causes in locks."""

import fcntl
import mmap
import os
import select
import tempfile
import threading
import time

from planted import (LIBC, Shared, ask, attach_to, connect, cured, listen, plant, receive, repeat, serve,
                     set_name, start, work)


@plant("python/cpython#90204", r"crunch", r"crunch|futex")
def interpreter_lock():
    """a thread that computes keeps the interpreter's lock for 5 ms at a time; the one that answers waits for it"""
    listener = listen("server")

    def crunch():
        set_name("crunch")
        while True:
            sum(range(1000))

    def server():
        if not cured():
            threading.Thread(target=crunch, daemon=True).start()
        serve(listener, lambda _: None)

    attach_to(start(server))
    client = connect("server")
    repeat(lambda: ask(client))


@plant("WiseLibs/better-sqlite3#155", r"after fcntl has failed \(EAGAIN\)")
def busy_handler():
    """another program locks the database for 20 ms at a time; the server tries to lock it, and sleeps for 5 ms in between"""
    listener = listen("server")
    path = tempfile.mkstemp(prefix="database.")[1]

    def importer():
        with open(path, "wb") as file:
            while True:
                fcntl.lockf(file, fcntl.LOCK_EX)
                time.sleep(.02)
                fcntl.lockf(file, fcntl.LOCK_UN)
                time.sleep(.005)

    def server():
        with open(path, "wb") as file:
            def handle(_):
                while True:
                    try:
                        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                        break
                    except BlockingIOError:
                        time.sleep(.005)
                fcntl.lockf(file, fcntl.LOCK_UN)
            serve(listener, handle)

    if not cured():
        start(importer)
    attach_to(start(server))
    client = connect("server")
    repeat(lambda: ask(client))


@plant("box/Anemometer#123", r"flock|file lock", r"flock|file lock")
def file_lock():
    """a worker locks the session's file and works for 20 ms; requests of the same session wait for the lock"""
    listener = listen("server")
    path = tempfile.mkstemp(prefix="session.")[1]

    def other_worker():
        with open(path, "wb") as file:
            while True:
                fcntl.flock(file, fcntl.LOCK_EX)
                time.sleep(.02)
                fcntl.flock(file, fcntl.LOCK_UN)
                time.sleep(.005)

    def server():
        with open(path, "wb") as file:
            def handle(_):
                fcntl.flock(file, fcntl.LOCK_EX)
                fcntl.flock(file, fcntl.LOCK_UN)
            serve(listener, handle)

    if not cured():
        start(other_worker)
    attach_to(start(server))
    client = connect("server")
    repeat(lambda: ask(client))


@plant("stephanos/clock#2", r"futex.*cleaner|cleaner", r"cleaner.*sleep|sleep.*cleaner|cleaner")
def holder_sleeps():
    """a thread sleeps for 20 ms while it holds the lock that each request needs"""
    listener, lock = listen("server"), Shared()

    def cleaner():
        while True:
            with lock:
                if not cured():
                    time.sleep(.02)
            time.sleep(.01)

    def handle(_):
        with lock:
            pass

    start(cleaner)
    attach_to(start(serve, listener, handle, name="server"))
    client = connect("server")
    repeat(lambda: ask(client))


@plant("nanomsg/nng#54", r"in vain|wakes \d+ ", r"in vain|worker")
def woken_in_vain():
    """each request wakes all 40 workers by pthread_cond_broadcast; one takes the job, the others are in its way"""
    listener, lock = listen("server"), Shared()

    def worker(connection):
        while True:
            with lock:
                while not lock.jobs.value:
                    LIBC.pthread_cond_wait(lock.condition, lock.mutex)
                lock.jobs.value -= 1
                work(.00005)
                connection.sendall(b"ok")

    def server():
        connection = listener.accept()[0]
        for i in range(40):
            start(worker, connection, name=f"worker-{i}")
        while receive(connection):
            with lock:
                lock.jobs.value += 1
                if cured():
                    LIBC.pthread_cond_signal(lock.condition)
                else:
                    LIBC.pthread_cond_broadcast(lock.condition)

    attach_to(start(server))
    client = connect("server")
    time.sleep(.3)
    repeat(lambda: ask(client))


@plant("scylladb/scylladb#19017", r"slow-read", r"slow-read|futex")
def semaphore():
    """a limit of one read at a time: quick reads wait for the semaphore until a slow one of 30 ms has ended"""
    listener, limit = listen("server"), Shared()

    def read(seconds):
        LIBC.sem_wait(limit.semaphore)
        time.sleep(seconds)
        LIBC.sem_post(limit.semaphore)

    def slow_read():
        while True:
            if not cured():
                read(.03)
            time.sleep(.03)

    start(slow_read, name="slow-read")
    attach_to(start(serve, listener, lambda _: read(0), name="server"))
    client = connect("server")
    repeat(lambda: ask(client))


@plant("scylladb/seastar#341", r"lock of the kernel")
def inode_lock():
    """each request appends to a file; another program writes 64 MB at a time to it, and holds its inode's lock"""
    listener = listen("server")
    path = tempfile.mkstemp(prefix="planted.", dir="/dev/shm")[1]

    def copier():
        data = bytes(64 << 20)
        with open(path if not cured() else path + ".other", "wb", buffering=0) as file:
            os.unlink(file.name)
            while True:
                file.seek(0)
                file.write(data)
                time.sleep(.002)

    with open(path, "ab", buffering=0) as file:
        start(copier)
        attach_to(start(serve, listener, file.write, name="server"))
        client = connect("server")
        repeat(lambda: ask(client))


@plant("Atoptool/atop#97", r"lock of the kernel \(rwsem\) in vm_mmap_pgoff \(mmap_lock\)|"
       r"lock of the kernel \(rwsem\) in __vm_munmap \(mmap_lock\)", r"of the kernel")
def memory_map():
    """each request maps memory and gives it back; a monitor reads the server's smaps, and holds its memory map's lock"""
    listener = listen("server")

    def server():
        memory = mmap.mmap(-1, 256 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | mmap.MAP_POPULATE)
        memory.madvise(mmap.MADV_NOHUGEPAGE)
        serve(listener, lambda _: mmap.mmap(-1, 1 << 20).close())

    def monitor(pid):
        listener.close()
        while True:
            with open(f"/proc/{pid}/{'stat' if cured() else 'smaps'}", encoding="ascii") as file:
                file.read()
            time.sleep(.002)

    pid = start(server)
    attach_to(pid)
    start(monitor, pid)
    client = connect("server")
    repeat(lambda: ask(client))


@plant("netxms/netxms#3642", r"other calls?|calls? (of|to|first)|one after another", r"other calls?|one after another")
def one_thread():
    """one thread serves all connections: a report of 30 ms is in the way of the quick requests of others"""
    listener = listen("server")

    def server():
        connections = [listener.accept()[0] for _ in range(2)]
        while True:
            for connection in select.select(connections, [], [])[0]:
                request = receive(connection)
                if request == b"report..":
                    work(.03)
                connection.sendall(b"ok")

    def reports():
        connection = connect("server")
        repeat(lambda: ask(connection, b"quick..." if cured() else b"report.."), .05)

    attach_to(start(server))
    start(reports, name="reporter")
    client = connect("server")
    repeat(lambda: ask(client))


@plant("valyala/fasthttp#555", r"other (calls?|requests?)|several|one after another")
def head_of_line():
    """requests on one connection without waiting: quick ones stand behind one of 20 ms"""
    listener = listen("server")
    attach_to(start(serve, listener, lambda request: work(.02) if request == b"slow...." else None, name="server"))
    client = connect("server")

    def call():
        client.sendall(b"quick..." if cured() else b"slow....")
        for _ in range(5):
            time.sleep(.001)
            client.sendall(b"quick...")
        receive(client, 12)
    repeat(call)
