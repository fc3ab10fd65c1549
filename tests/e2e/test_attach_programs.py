# SPDX-License-Identifier: BSD-2-Clause
"""Real programs on private paths and ports: what ipctrace counts is what they count themselves."""

import collections
import glob
import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

import attach
import harness
import patience
import tap


def answers(path):
    """Whether a server listens on a unix socket."""
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(path) == 0


class Programs(attach.AttachCase):
    """What the tests of all programs share."""

    def serve(self, *command, ready, **how):
        """Starts a server and waits until `ready()`. What it says goes into a file."""
        log = self.file(os.path.basename(command[0]) + ".log")
        with open(log, "w", encoding="utf-8") as file:
            process = self.spawn(command, stdout=file, stderr=file, **how)

        def is_ready():
            if process.poll() is not None:
                with open(log, encoding="utf-8", errors="replace") as file:
                    raise AssertionError(f"{command} ended: {file.read()}")
            return ready()

        harness.wait_until(is_ready)
        return process

    def quit(self, process, number=signal.SIGTERM):
        """Ends a server in the way that it wants."""
        process.send_signal(number)
        process.wait(harness.PATIENCE * 20)

    def output_of(self, *command, **how):
        """A program that ends by itself, successfully."""
        process = self.spawn(command, **how)
        out, err = process.communicate(timeout=harness.PATIENCE * 60)
        self.assertEqual(process.returncode, 0, err)
        return out

    def check_exchange(self, attachment, transport, server, asked, answered=None):
        """So many messages went to the threads of these processes, and so many from them."""
        records = attachment.of(transport)
        tids = {int(tid) for pid in server for tid in os.listdir(f"/proc/{pid}/task")}
        to_server = [m for m in records if m["receiver_tid"] in tids]
        from_server = [m for m in records if m["sender_tid"] in tids]
        self.assertEqual((len(to_server), len(from_server)),
                         (asked, asked if answered is None else answered),
                         attachment.summary["integrity"])
        return to_server, from_server


class Redis(Programs):
    """redis-server and redis-benchmark: a command is a request, and so is a pipeline of them."""

    COMMANDS = 4000

    def commands(self, path):
        """The server's own count of commands. The next count includes this question."""
        with socket.socket(socket.AF_UNIX) as asker:
            asker.connect(path)
            asker.sendall(b"INFO stats\r\n")
            text = asker.recv(65536)
        return int(re.search(rb"total_commands_processed:(\d+)", text)[1])

    def check(self, transport, pipeline):
        path, port = self.file("redis"), attach.free_port()
        server = self.serve("redis-server", "--unixsocket", path, "--port", port, "--save", "",
                            "--appendonly", "no", "--dir", self.folder, ready=lambda: answers(path))
        where = ["-s", path] if transport == "uds-stream" else ["-p", port]
        before = self.commands(path)
        with self.attached("-p", server.pid) as attachment:
            self.output_of("redis-benchmark", *where, "-n", self.COMMANDS, "-c", 10, "-P", pipeline,
                           "-t", "set", "-q")
        # Two commands, asked with one send, by which the benchmark learns how the server is set up.
        self.assertEqual(self.commands(path) - before - 1, self.COMMANDS + 2, "the server's count")
        requests = self.COMMANDS // pipeline + 1
        self.check_exchange(attachment, transport, [server.pid], requests)
        self.check_whole(attachment, 2 * requests)
        self.assertEqual(attachment.summary["calls"]["count"], requests)
        self.assertEqual(len(attachment.channels(transport)), 2 * 11)
        self.quit(server)

    def test_unix(self):
        """over a unix socket, one command at a time"""
        self.check("uds-stream", 1)

    def test_unix_pipeline(self):
        """over a unix socket, 16 commands at once"""
        self.check("uds-stream", 16)

    def test_tcp(self):
        """over TCP, one command at a time"""
        self.check("tcp", 1)

    def test_tcp_pipeline(self):
        """over TCP, 16 commands at once"""
        self.check("tcp", 16)


class PostgreSQL(Programs):
    """PostgreSQL, which forks a process for each connection, and pgbench."""

    CLIENTS, TRANSACTIONS = 4, 200

    def start_server(self):
        """(the server, the folder of its socket, the folder of its programs)"""
        programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
        folder, uid = self.file("postgres"), pwd.getpwnam("postgres").pw_uid
        os.mkdir(folder)
        os.chown(folder, uid, -1)
        self.output_of(f"{programs}/initdb", "-D", f"{folder}/data", "-A", "trust", "-U",
                       "postgres", "--no-sync", uid=uid)
        server = self.serve(f"{programs}/postgres", "-D", f"{folder}/data", "-k", folder,
                            "-c", "listen_addresses=", "-c", "fsync=off", "-c", "autovacuum=off",
                            uid=uid, ready=lambda: self.accepts(programs, folder))
        self.output_of(f"{programs}/pgbench", "-h", folder, "-U", "postgres", "-i", "-q",
                       "postgres")
        return server, folder, programs

    @staticmethod
    def accepts(programs, folder):
        """Whether it accepts connections; it listens earlier."""
        return not subprocess.run([f"{programs}/pg_isready", "-q", "-h", folder]).returncode

    def test_pgbench(self):
        """every transaction is a call, and so is every beginning of a connection"""
        server, folder, programs = self.start_server()
        own = set(harness.children_of(server.pid))
        with self.attached("-p", server.pid) as attachment:
            output = self.output_of(f"{programs}/pgbench", "-h", folder, "-U", "postgres", "-n", "-S",
                                  "-c", self.CLIENTS, "-t", self.TRANSACTIONS, "postgres")
            # Those that serve a connection take its last message, and end.
            harness.wait_until(lambda: set(harness.children_of(server.pid)) <= own)
        count = self.CLIENTS * self.TRANSACTIONS
        self.assertIn(f"{count}/{count}", output)
        # Each connection begins with a call and ends with a message; the first one asks twice more.
        calls = count + self.CLIENTS + 3
        records = attachment.of("uds-stream")
        asked = [m for m in records if m["sender_comm"] == "pgbench"]
        self.assertEqual((len(asked), len(records) - len(asked)), (calls + self.CLIENTS + 1, calls))
        self.assertEqual(attachment.summary["calls"]["count"], calls)
        self.check_whole(attachment)
        by_connection = sorted(collections.Counter(m["channel"] for m in asked).values())
        self.assertEqual(by_connection, [4] + [self.TRANSACTIONS + 2] * self.CLIENTS)
        self.assertEqual({m["receiver_comm"] for m in asked}, {"postgres"})
        self.quit(server, signal.SIGINT)


NGINX = """daemon off; pid {folder}/{name}.pid; error_log stderr; worker_processes 1; user root;
events {{}}
http {{
    access_log off; {paths}
    {http}
}}
"""
NGINX_PATHS = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")


class Nginx(Programs):
    """nginx that asks another nginx over a unix socket, and ab that asks it over TCP."""

    REQUESTS = 1000

    def start_server(self, name, http, ready):
        """(the master, its only worker)"""
        paths = " ".join(f"{part}_temp_path {self.file(name)}-{part};" for part in NGINX_PATHS)
        with open(self.file(name + ".conf"), "w", encoding="utf-8") as file:
            file.write(NGINX.format(folder=self.folder, name=name, paths=paths, http=http))
        master = self.serve("nginx", "-p", self.folder, "-e", "stderr", "-c",
                            self.file(name + ".conf"), ready=ready)
        worker, = harness.wait_until(lambda: list(harness.children_of(master.pid)))
        return master, worker

    def test_proxy(self):
        """every request goes through both, and each of the two is a call"""
        path, port = self.file("behind"), attach.free_port()
        behind, answering = self.start_server(
            "behind", f'server {{ listen unix:{path}; return 200 "here\\n"; }}',
            lambda: answers(path))
        front, asking = self.start_server(
            "front",
            f"upstream behind {{ server unix:{path}; keepalive 8; }} server {{ "
            f"listen 127.0.0.1:{port}; location / {{ proxy_pass http://behind; "
            'proxy_http_version 1.1; proxy_set_header Connection ""; } }',
            lambda: os.path.exists(self.file("front.pid")))
        with self.attached("-p", f"{asking},{answering}") as attachment:
            output = self.output_of("ab", "-q", "-k", "-c", 4, "-n", self.REQUESTS,
                                  f"http://127.0.0.1:{port}/")
        self.assertRegex(output, rf"Complete requests: +{self.REQUESTS}\nFailed requests: +0\n")
        self.check_exchange(attachment, "tcp", [asking], self.REQUESTS)
        self.check_exchange(attachment, "uds-stream", [answering], self.REQUESTS)
        self.check_whole(attachment, 4 * self.REQUESTS)
        self.assertEqual(attachment.summary["calls"]["count"], 2 * self.REQUESTS)
        self.quit(front)
        self.quit(behind)


class Languages(Programs):
    """Servers and clients with a language runtime between their code and their system calls."""

    CONNECTIONS, CALLS = 4, 250

    def check_calls_of(self, transport, server, *client):
        """So many calls on so many connections."""
        with self.attached("-p", server.pid) as attachment:
            self.output_of(*client)
        count = self.CONNECTIONS * self.CALLS
        self.check_exchange(attachment, transport, [server.pid], count)
        self.check_whole(attachment)
        self.assertEqual(attachment.summary["calls"]["count"], count)
        return attachment

    def start_asyncio(self):
        """(the server, the program, its path)"""
        path = self.file("asyncio")
        program = os.path.join(attach.PROGRAMS, "echo_asyncio.py")
        return self.serve(sys.executable, program, "serve", path, ready=lambda: answers(path)), \
            program, path

    def test_asyncio(self):
        """a server and a client in asyncio"""
        server, program, path = self.start_asyncio()
        self.check_calls_of("uds-stream", server, sys.executable, program, "call", path,
                            self.CONNECTIONS, self.CALLS)
        self.quit(server)

    def test_asyncio_c(self):
        """a server in asyncio and a client in C, which knows when it did what"""
        server, _, path = self.start_asyncio()
        with self.attached("-p", server.pid) as attachment:
            self.run_to_end("caller", "-n", self.CALLS, f"uds-stream:{path}")
        asked, answered = self.check_exchange(attachment, "uds-stream", [server.pid], self.CALLS)
        noted = self.truth()
        for record in asked:
            self.assertTrue(noted.ends_of(record)[0][1], f"sent: {record}")
        for record in answered:
            self.assertTrue(noted.ends_of(record)[1][1], f"received: {record}")
        self.check_whole(attachment, 2 * self.CALLS)
        self.quit(server)

    def build_go(self):
        """The path of the Go program."""
        path = self.file("echo-go")
        env = harness.environment({"GO111MODULE": "off", "GOTOOLCHAIN": "local",
                                   "GOCACHE": self.file("go-cache"), "GOPATH": self.file("go")})
        # Debian's own first: it comes with the standard library compiled.
        go = shutil.which("go", path="/usr/bin:" + os.environ["PATH"])
        self.assertTrue(go, "no go: run sudo scripts/setup test")
        subprocess.run([go, "build", "-o", path, os.path.join(attach.PROGRAMS, "echo.go")],
                       env=env, check=True)
        return path

    def test_go(self):
        """a server and a client in Go, over a unix socket and over TCP"""
        program = self.build_go()
        self.answered_by_others = 0.1  # its routines go on in another thread now and then
        for transport, network, address in (
                ("uds-stream", "unix", self.file("go-socket")),
                ("tcp", "tcp", f"127.0.0.1:{attach.free_port()}")):
            with self.subTest(transport):
                server = self.serve(program, "serve", network, address,
                                    ready=lambda n=network, a=address: self.go_answers(n, a))
                self.check_calls_of(transport, server, program, "call", network, address,
                                    self.CONNECTIONS, self.CALLS)
                self.quit(server)

    @staticmethod
    def go_answers(network, address):
        if network == "unix":
            return answers(address)
        host, port = address.split(":")
        with socket.socket() as probe:
            return probe.connect_ex((host, int(port))) == 0


class DBus(Programs):
    """A bus of our own and a client process for every method call."""

    CALLS = 200
    ASKED = 6    # of a client: its credentials, three lines of greeting, Hello and the method
    ANSWERED = 5  # two lines of greeting, the answer to Hello and a signal, the method's answer

    def test_calls(self):
        """the messages of every connection, from its greeting to its method's answer"""
        path = self.file("bus")
        with open(os.path.join(attach.PROGRAMS, "dbus.conf"), encoding="utf-8") as template, \
                open(self.file("bus.conf"), "w", encoding="utf-8") as file:
            file.write(template.read().format(path=path))
        daemon = self.serve("dbus-daemon", "--config-file=" + self.file("bus.conf"), "--nofork",
                            "--nopidfile", "--nosyslog", ready=lambda: answers(path))
        call = (f"dbus-send --bus=unix:path={path} --print-reply=literal "
                "--dest=org.freedesktop.DBus / org.freedesktop.DBus.GetId")
        with self.attached("-p", daemon.pid) as attachment:
            output = self.output_of("sh", "-ec", f"for i in $(seq {self.CALLS}); do {call}; done")
        self.assertEqual(len(output.split()), self.CALLS, "answers")
        asked, _ = self.check_exchange(attachment, "uds-stream", [daemon.pid],
                                       self.CALLS * self.ASKED, self.CALLS * self.ANSWERED)
        self.check_whole(attachment)
        self.assertEqual({m["sender_comm"] for m in asked}, {"dbus-send"})
        self.assertEqual(set(collections.Counter(m["channel"] for m in asked).values()),
                         {self.ASKED})
        calls = attachment.summary["calls"]
        self.assertGreaterEqual(calls["count"] + calls["open_several"]["count"], 4 * self.CALLS)
        self.quit(daemon)


class Memcached(Programs):
    """memcached with four worker threads."""

    CLIENTS, GETS = 8, 200

    def client(self, path):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(path)
            for _ in range(self.GETS):
                connection.sendall(b"get nothing\r\n")
                answer = b""
                while not answer.endswith(b"END\r\n"):
                    answer += connection.recv(4096)

    def counted(self, path):
        """The server's own count."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(path)
            connection.sendall(b"stats\r\n")
            text = b""
            while not text.endswith(b"END\r\n"):
                text += connection.recv(4096)
        return int(re.search(rb"cmd_get (\d+)", text)[1])

    def test_threads(self):
        """every request is there, and all four threads have taken some"""
        path = self.file("memcached")
        server = self.serve("memcached", "-u", "root", "-t", 4, "-s", path,
                            ready=lambda: os.path.exists(path) and answers(path))
        with self.attached("-p", server.pid) as attachment:
            clients = [threading.Thread(target=self.client, args=(path,))
                       for _ in range(self.CLIENTS)]
            for client in clients:
                client.start()
            for client in clients:
                client.join()
        count = self.CLIENTS * self.GETS
        self.assertEqual(self.counted(path), count, "the server's count")
        asked, _ = self.check_exchange(attachment, "uds-stream", [server.pid], count)
        self.check_whole(attachment)
        self.assertEqual(attachment.summary["calls"]["count"], count)
        self.assertEqual(len({m["receiver_tid"] for m in asked}), 4)
        self.quit(server)


class Audio(Programs):
    """Audio servers: a cycle is a round, whose messages are the wake-ups of the clients."""

    CLIENTS, TRACED_S = 5, 1
    PRIORITY = 10  # as audio servers have: at that of others, clients would be late in most cycles

    def check_cycles(self, attachment, transport, servers, per_second):
        """Rounds of five, about as many as cycles, of which a busy machine makes the server skip some."""
        rounds = attachment.summary["rounds"]
        self.assertIsNotNone(rounds, attachment.summary["integrity"])
        cycles = self.TRACED_S * per_second
        patience.demand(rounds["count"], 0.2 * cycles, "rounds")
        patience.demand(rounds["complete"], 0.5 * rounds["count"], "complete rounds")
        first, last = rounds["first_latency_ns"], rounds["last_latency_ns"]
        self.assertEqual((first["count"], last["count"]), (rounds["complete"],) * 2)
        self.assertLess(first["mean"], last["mean"])
        self.assert_near(rounds["service_time_ns"], last["mean"] + last["stddev"], "service time")
        tids = {int(tid) for pid in servers for tid in os.listdir(f"/proc/{pid}/task")}
        by_server = [m for m in attachment.messages if m["sender_tid"] in tids]
        receivers = collections.Counter(m["receiver_tid"] for m in by_server
                                        if m["transport"] == transport)
        self.assertGreaterEqual(len(receivers), self.CLIENTS)
        clients = receivers.most_common(self.CLIENTS)
        for _, count in clients:
            patience.demand(count, 0.2 * cycles, "messages to a client")
        # A client that is late has not slept: the server does not wake it, and its round has a gap less.
        sent = sum(count for _, count in clients)
        incomplete = self.CLIENTS * (rounds["count"] - rounds["complete"])
        in_rounds = rounds["next_latency_ns"]["count"] + rounds["complete"]
        patience.demand(in_rounds, 0.95 * (sent - incomplete), "messages to clients, in rounds")
        # A server that is late also sends messages to a thread of its own, which are then in its rounds.
        self.assertLessEqual(in_rounds, len(by_server))

    def check_server(self, server, env, command, transport, per_second):
        """Starts the clients, and traces them and their server."""
        clients = [self.serve(*command, "-n", f"metro{i}", env=env, priority=self.PRIORITY, ready=lambda: True)
                   for i in range(self.CLIENTS)]
        self.wait_for_ports(env, command[:-3])
        pids = [server.pid, *(client.pid for client in clients)]
        with self.attached("-p", ",".join(map(str, pids))) as attachment:
            time.sleep(self.TRACED_S)
        self.check_cycles(attachment, transport, [server.pid], per_second)
        for client in clients:
            self.quit(client)
        self.quit(server)
        return attachment

    def wait_for_ports(self, env, wrapper):
        def all_play():
            listed = subprocess.run([*wrapper, "jack_lsp"], env=env, capture_output=True, text=True)
            return listed.stdout.count(":120_bpm") == self.CLIENTS

        harness.wait_until(all_play, pause_s=0.1)

    def test_jack(self):
        """jackd with five clients, which it wakes by futexes: rounds with first, next and last"""
        name = f"ipctrace{os.getpid()}"
        env = harness.environment({"JACK_DEFAULT_SERVER": name, "JACK_NO_AUDIO_RESERVATION": "1",
                                   "JACK_NO_START_SERVER": "1"})
        registry = "/dev/shm/jack-shm-registry"  # for all servers of a machine; none removes it
        if not os.path.exists(registry):
            self.addCleanup(os.unlink, registry)
        server = self.serve("jackd", "-r", "-n", name, "-d", "dummy", "-r", 48000, "-p", 64, env=env,
                            priority=self.PRIORITY, ready=lambda: glob.glob(f"/dev/shm/jack_{name}_*"))
        self.check_server(server, env, ["jack_metro", "-b", "120"], "futex", 48000 / 64)

    def test_pipewire(self):
        """pipewire with five clients, which it wakes by eventfds"""
        runtime = self.file("runtime")
        os.mkdir(runtime, 0o700)
        env = harness.environment({"XDG_RUNTIME_DIR": runtime, "PIPEWIRE_LATENCY": "256/48000"})
        server = self.serve("pipewire", "-c", os.path.join(attach.PROGRAMS, "pipewire.conf"), env=env,
                            priority=self.PRIORITY, ready=lambda: os.path.exists(f"{runtime}/pipewire-0"))
        self.check_server(server, env, ["pw-jack", "jack_metro", "-b", "120"], "eventfd",
                          48000 / 256)


if __name__ == "__main__":
    tap.main()
