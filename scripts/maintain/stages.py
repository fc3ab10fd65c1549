# SPDX-License-Identifier: BSD-2-Clause
"""The servers and clients that the commands in the documents need, under the names that the documents use.

scripts/maintain/try_commands starts them in a sandbox: there they have all ports, all of /run and all process numbers
to themselves, and end with it. A stage is ready when its clients have begun.
"""

import glob
import os
import pathlib
import pwd
import shutil
import subprocess
import tempfile
import time

READY_S = 60  # a server that is not ready by then never is
SCRIPTS = pathlib.Path(__file__).resolve().parent
HOME = pathlib.Path("/run/stage")  # what the servers write


class StageError(Exception):
    """Why a stage cannot be set up."""


def start(*command, **how):
    """A program in the background. What it prints is kept for the case that it fails."""
    log = HOME / f"{pathlib.Path(command[0]).name}.log"
    with open(log, "ab") as file:
        process = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=file, stderr=file, **how)
    process.log = log
    return process


def finish(*command, **how):
    """A program that ends by itself, successfully."""
    done = subprocess.run(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", **how)
    if done.returncode:
        raise StageError(f"{command[0]}: exit status {done.returncode}: {done.stdout.strip()}")


def succeeds(*command):
    """Whether a program says yes."""
    return not subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL).returncode


def count_of(title):
    """How many processes have such a title."""
    return int(subprocess.run(["pgrep", "-c", "-f", title], stdout=subprocess.PIPE).stdout)


def wait_for(what, *servers):
    """Waits until what() is true, while the servers live."""
    limit = time.monotonic() + READY_S
    while not what():
        for server in servers:
            if server.poll() is not None:
                raise StageError(f"{server.args[0]} ended: {server.log.read_text(errors='replace').strip()}")
        if time.monotonic() > limit:
            raise StageError(f"{servers[0].args[0] if servers else 'it'} was not ready after {READY_S} s")
        time.sleep(0.05)


def repeat(command):
    """A client that ends after some work begins again, with a pause that leaves the CPUs to others."""
    return start("sh", "-c", f"while {command}; do sleep 0.2; done")


def postgres(_folder):
    """A cluster on port 5432, and pgbench over the unix socket and over TCP."""
    programs, user = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1], pwd.getpwnam("postgres").pw_uid
    data, sockets = HOME / "postgres", pathlib.Path("/run/postgresql")
    for folder in (data, sockets):
        folder.mkdir()
        os.chown(folder, user, -1)
    finish(f"{programs}/initdb", "-D", data, "-A", "trust", "-U", "postgres", "--no-sync", user=user, cwd=data)
    server = start(f"{programs}/postgres", "-D", data, "-k", sockets, "-c", "listen_addresses=127.0.0.1",
                   "-c", "fsync=off", user=user, cwd=data)
    wait_for(lambda: succeeds(f"{programs}/pg_isready", "-q", "-h", str(sockets)), server)
    pgbench = [f"{programs}/pgbench", "-U", "postgres"]
    finish(*pgbench, "-h", sockets, "-i", "-q", "postgres")
    for host, clients in ((sockets, 4), ("127.0.0.1", 2)):
        start(*pgbench, "-h", host, "-n", "-S", "-c", clients, "-R", 100 * clients, "-T", 3600, "postgres")
    # pgbench ends its first connection before those of its clients begin.
    wait_for(lambda: count_of("^postgres: postgres postgres") == 6, server)


NGINX = """daemon off; pid {home}/nginx.pid; error_log stderr; worker_processes 2; user root;
events {{}}
http {{
    access_log off; {paths}
    server {{ listen 80; root {home}/www; }}
}}
"""


def nginx(_folder):
    """A server on port 80 with a page of 4 KiB, and ab with four connections."""
    paths = " ".join(f"{part}_temp_path {HOME}/nginx-{part};"
                     for part in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (HOME / "nginx.conf").write_text(NGINX.format(home=HOME, paths=paths))
    (HOME / "www").mkdir()
    (HOME / "www/index.html").write_text("x" * 4096)
    server = start("nginx", "-p", HOME, "-e", "stderr", "-c", HOME / "nginx.conf")
    wait_for(lambda: succeeds("ab", "-q", "-n", "1", "http://127.0.0.1/"), server)
    repeat("ab -q -k -c 4 -n 400 http://127.0.0.1/")


def redis(_folder):
    """A server on port 6379, and its benchmark with four connections."""
    server = start("redis-server", "--port", 6379, "--save", "", "--dir", HOME)
    wait_for(lambda: succeeds("redis-cli", "ping"), server)
    repeat("redis-benchmark -q -c 4 -n 2000 -t get")


DBUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type>
  <listen>unix:path=/run/dbus/system_bus_socket</listen>
  <policy context="default">
    <allow send_destination="*"/>
    <allow receive_sender="*"/>
    <allow own="*"/>
  </policy>
</busconfig>
"""


def dbus(_folder):
    """A system bus, a service on it, and a client that calls the service."""
    (HOME / "dbus.conf").write_text(DBUS)
    pathlib.Path("/run/dbus").mkdir()
    for name in ("my-service", "my-client"):
        shutil.copy("/usr/bin/dbus-test-tool", HOME / name)
    daemon = start("dbus-daemon", f"--config-file={HOME}/dbus.conf", "--nofork", "--nopidfile", "--nosyslog")
    wait_for(lambda: succeeds("dbus-send", "--system", "--print-reply", "--dest=org.freedesktop.DBus", "/",
                              "org.freedesktop.DBus.GetId"), daemon)
    start(HOME / "my-service", "echo", "--system", "--name=org.example.Service")
    wait_for(lambda: succeeds("dbus-send", "--system", "--print-reply", "--dest=org.example.Service", "/",
                              "org.example.Service.Ping"), daemon)
    repeat(f"{HOME}/my-client spam --system --dest=org.example.Service --count=100")


def jack(_folder):
    """A JACK server without a sound card, and four metronomes."""
    quiet = {"JACK_NO_AUDIO_RESERVATION": "1", "JACK_NO_START_SERVER": "1"}
    env = os.environ | quiet
    server = start("jackd", "-r", "-d", "dummy", "-r", 48000, "-p", 256, env=env)
    wait_for(lambda: glob.glob("/dev/shm/jack_default_*"), server)
    for number in range(1, 5):
        start("jack_metro", "-b", 120, "-n", f"metro{number}", env=env)
    wait_for(lambda: subprocess.run(["jack_lsp"], env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
             .stdout.count(b":120_bpm") == 4, server)


def build_programs(folder=HOME):
    """my-server and my-client, in this folder."""
    for name in ("my-server", "my-client"):
        finish("cc", "-O2", "-o", folder / name, SCRIPTS / "stage.c")


def programs(_folder):
    """my-server, and three processes my-client that call it."""
    build_programs()
    server = start(HOME / "my-server")
    for _ in range(3):
        start(HOME / "my-client")
    wait_for(lambda: succeeds("test", "-S", "/run/my-server.sock"), server)


def client(folder):
    """my-client, which waits for a server that is not there yet: that lies in the folder of the commands."""
    build_programs(folder)
    start(folder / "my-client")


CGROUPS = pathlib.Path("/sys/fs/cgroup")


def container(folder):
    """The same programs in a container: a control group, and namespaces with a network and a /run of its own."""
    build_programs()
    finish("mount", "-t", "cgroup2", "none", CGROUPS)
    group = pathlib.Path(tempfile.mkdtemp(prefix=f"{folder.parent.name}-", dir=CGROUPS))
    inside = "mount -t tmpfs none /run; ./my-client & ./my-client & exec ./my-server"  # from the folder below it
    shell = start("sh", "-c", f"echo 0 >{group}/cgroup.procs; exec unshare --fork --pid --mount-proc --net --cgroup "
                              f"sh -c '{inside}'", cwd=HOME)
    wait_for(lambda: glob.glob("/proc/[0-9]*/task/[0-9]*/root/run/my-server.sock"), shell)


def clean_up(work):
    """Removes the control groups of containers that have ended with their sandboxes."""
    subprocess.run(["unshare", "--mount", "sh", "-c", f"mount -t cgroup2 none {CGROUPS} && cd {CGROUPS} && "
                    f"for group in {work.name}-*; do [ ! -e $group ] || rmdir $group; done"], check=True)


STAGES = {"postgres": postgres, "nginx": nginx, "redis": redis, "dbus": dbus, "jack": jack, "programs": programs,
          "client": client, "container": container}
