# SPDX-License-Identifier: BSD-2-Clause
"""Causes in scheduling."""

import os
import time

from planted import (LIBC, ask, attach_to, connect, cured, forever, listen, pin, plant, receive, repeat, serve, start,
                     stop_now_and_then, work)

PTRACE_ATTACH, PTRACE_DETACH, WALL = 16, 17, 0x40000000

GROUP = "/sys/fs/cgroup/cpu/planted" if os.path.isdir("/sys/fs/cgroup/cpu") else "/sys/fs/cgroup/planted"
FREEZER = "/sys/fs/cgroup/freezer/planted" if os.path.isdir("/sys/fs/cgroup/freezer") else "/sys/fs/cgroup/frozen"


def put(path, value):
    """Writes a value into a file of the kernel."""
    with open(path, "w", encoding="ascii") as file:
        file.write(str(value))


def call_server(handle=lambda _: None, before=lambda: None, every=.01):
    """A server on CPU 0, which runs before() first, and calls to it from CPU 1."""
    listener = listen("server")

    def server():
        pin(0)
        before()
        serve(listener, handle)

    pid = start(server)
    attach_to(pid)
    pin(1)
    client = connect("server")
    return pid, lambda: repeat(lambda: ask(client), every)


@plant("kubernetes/kubernetes#67577", r"quota")
def quota():
    """a server of 3 ms for each request may use 20 ms of CPU time every 100 ms"""
    os.makedirs(GROUP, exist_ok=True)
    if GROUP.endswith("cpu/planted"):
        put(GROUP + "/cpu.cfs_quota_us", -1 if cured() else 20000)
    else:
        put("/sys/fs/cgroup/cgroup.subtree_control", "+cpu")
        put(GROUP + "/cpu.max", "max 100000" if cured() else "20000 100000")
    call_server(lambda _: work(.003), lambda: put(GROUP + "/cgroup.procs", os.getpid()), .005)[1]()


@plant("gitpod-io/gitpod#11167", r"compiler", r"compiler.*nice|nice|compiler")
def nice():
    """the server runs at nice 19, beside a compiler at nice 0 on its CPU"""
    def compiler():
        pin(0)
        forever(.02, .005)

    if not cured():
        start(compiler)
    call_server(lambda _: work(.001), lambda: os.nice(19))[1]()


@plant("Mesa3D/mesa#7", r"renderer", r"renderer|SCHED_IDLE|idle")
def idle_policy():
    """the server runs with SCHED_IDLE, beside a renderer on its CPU"""
    def renderer():
        pin(0)
        forever(.015, .005)

    if not cured():
        start(renderer)
    call_server(lambda _: work(.001), lambda: os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0)))[1]()


@plant("almond-bot/axol#305", r"capture", r"capture \(.*FIFO|capture")
def real_time():
    """a FIFO thread takes the server's CPU for 15 ms of each 25 ms"""
    def capture():
        pin(0)
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
        forever(.015, .01)

    if not cured():
        start(capture)
    call_server()[1]()


@plant("jowch/Himalaya.jl#115", r"worker", r"worker")
def many_runnable():
    """a request wakes 12 workers at once that share the server's CPU, 2 ms each"""
    listeners = {} if cured() else {f"worker-{i}": listen(f"worker-{i}") for i in range(12)}
    workers = []

    def worker(listener):
        pin(0)
        serve(listener, lambda _: work(.002))

    def handle(_):
        for connection in workers:
            connection.sendall(b"request.")
        work(.001)
        for connection in workers:
            receive(connection, 2)

    for name, listener in listeners.items():
        start(worker, listener, name=name)
    call_server(handle, lambda: workers.extend(connect(name) for name in listeners))[1]()


@plant("ClickHouse/ClickHouse#94614", r"stopped|signal")
def stopped():
    """the server is stopped by SIGSTOP for 30 ms ten times a second"""
    pid, calls = call_server()
    if not cured():
        start(stop_now_and_then, pid, .1, .03, name="stopper")
    calls()


@plant("benfred/py-spy#872", r"debugger|ptrace", r"debugger|ptrace|stopped")
def ptrace_stop():
    """a profiler stops the server for 20 ms with ptrace, ten times a second, to read its stack"""
    pid, calls = call_server()

    def sampler():
        while True:
            time.sleep(.08)
            LIBC.ptrace(PTRACE_ATTACH, pid, 0, 0)
            os.waitpid(pid, WALL)
            time.sleep(.02)
            LIBC.ptrace(PTRACE_DETACH, pid, 0, 0)

    if not cured():
        start(sampler)
    calls()


@plant("moby/moby#46203", r"frozen|fr[eo]ez", r"frozen|fr[eo]ez|stopped")
def frozen():
    """the server's control group is frozen for 30 ms ten times a second, as by docker pause"""
    os.makedirs(FREEZER, exist_ok=True)
    version_1 = FREEZER.endswith("planted")
    path = FREEZER + ("/freezer.state" if version_1 else "/cgroup.freeze")

    def pauser():
        while True:
            time.sleep(.07)
            put(path, "FROZEN" if version_1 else 1)
            time.sleep(.03)
            put(path, "THAWED" if version_1 else 0)

    put(path, "THAWED" if version_1 else 0)
    pid, calls = call_server()
    put(FREEZER + "/cgroup.procs", pid)
    if not cured():
        start(pauser)
    calls()
    put(path, "THAWED" if version_1 else 0)
