# SPDX-License-Identifier: BSD-2-Clause
"""Options that name processes: what they choose, and what is said if they choose nothing."""

import os
import shutil
import uuid

import attach
import harness
import tap


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Choices(attach.AttachCase):
    """Services with names of their own, and callers."""

    CALLS = 30

    def start_renamed(self, address):
        """A service under a name that no other process of this machine has. The name, and the process."""
        unique = f"t{uuid.uuid4().hex[:8]}"
        shutil.copy(self.program("service"), self.file(unique))
        return unique, self.ready(self.spawn([self.file(unique), address, self.logs]))

    def test_repeated(self):
        """options that name targets add up: two names, two sockets, two ports"""
        for option in ("--comm", "--unix", "--port"):
            addresses, services, target = [], [], []
            for _ in range(2):
                address, _ = self.address("tcp" if option == "--port" else "uds-stream")
                unique, service = self.start_renamed(address)
                addresses.append(address)
                services.append(service)
                target += [option, unique if option == "--comm" else address.split(":")[1]]
            with self.subTest(option), self.attached(*target) as attachment:
                for address in addresses:
                    self.run_to_end("caller", "-n", self.CALLS, address)
            self.end(*services)
            self.check_whole(attachment, 4 * self.CALLS)

    def test_choice_in_vain(self):
        """--peer, --server and --client that match nothing: stderr and the report say so, and what was there"""
        address, _ = self.address("uds-stream")
        service = self.start("service", address)
        for option in ("peer", "server", "client"):
            with self.subTest(option):
                with self.attached("-p", service.pid, f"--{option}", "nosuch") as attachment:
                    self.run_to_end("caller", "-n", self.CALLS, address)
                said = [line for line in attachment.err if f"--{option}: 'nosuch'" in line]
                self.assertEqual(len(said), 1, attachment.err)
                choice = attachment.summary["choices"][option]
                self.assertEqual((choice["wanted"], choice["matched"]), ("nosuch", 0))
                self.assertEqual(choice["others"], 2 * self.CALLS)
                names = {"caller"} if option == "peer" else {"caller", "service"}
                self.assertEqual({seen["comm"] for seen in choice["seen"]}, names)
                text = " ".join(harness.ipctrace("report", attachment.recording).out.split())
                for name in names:
                    self.assertIn(f"{name} (pid ", said[0])
                if option == "peer":
                    self.assertIn("--peer 'nosuch': no process of the 60 messages", text)
                    self.assertIn("caller (pid ", text)
                    self.assertNotIn("neither sent nor received", text)
                else:
                    self.assertIn(f"--{option} 'nosuch' matches no process", text)
        with self.attached("-p", service.pid, "--peer", "caller", "--server", "service") as attachment:
            self.run_to_end("caller", "-n", self.CALLS, address)
        self.end(service)
        self.check_whole(attachment, 2 * self.CALLS)
        self.assertFalse([line for line in attachment.err if "no process" in line])
        self.assertEqual(attachment.summary["choices"]["server"]["matched"], 2 * self.CALLS)

    def test_children(self):
        """a target that started its workers before: they are traced, too, and without them they are named"""
        for options, traced in ((), True), (("--no-children",), False):
            address, _ = self.address("uds-stream")
            shell = self.spawn(["sh", "-c", '"$@" & wait', "sh", self.program("service"), address, self.logs])
            self.ready(shell)
            with self.subTest(options), self.attached("-p", shell.pid, *options) as attachment:
                self.run_to_end("caller", "-n", self.CALLS, address)
            attach.discard(shell)
            self.check_whole(attachment, 2 * self.CALLS if traced else 0)
            named = [line for line in attachment.err if "children of it are not traced" in line]
            self.assertEqual(len(named), 0 if traced else 1, attachment.err)
            self.assertTrue(traced or "service (pid " in named[0], attachment.err)
            untraced = attachment.summary["tracing"]["untraced"]
            self.assertEqual(untraced and [child["comm"] for child in untraced["named"]], None if traced else ["service"])

    def test_pid_of_a_container(self):
        """a number that a process has only inside a container: its number outside is named"""
        number = next(n for n in range(31_000, 20_000, -1) if not os.path.exists(f"/proc/{n}"))
        script = f"echo {number - 1} >/proc/sys/kernel/ns_last_pid; sleep 1000 & echo ready; wait"
        container = self.spawn(["unshare", "--pid", "--fork", "--mount-proc", "--kill-child", "sh", "-c", script])
        self.ready(container)
        outside = [status for status in map(self.numbers_of, filter(str.isdigit, os.listdir("/proc")))
                   if status[1:] == [str(number)]]
        self.assertEqual(len(outside), 1)
        result = harness.ipctrace("attach", "-p", number)
        self.assertEqual(result.status, 1)
        self.assertIn(f"'{number}': there is no such process: inside a container it is the number of sleep "
                      f"(pid {outside[0][0]})", result.err)
        attach.discard(container)

    @staticmethod
    def numbers_of(pid):
        """Of a process in each PID namespace, from the outermost on."""
        try:
            lines = read(f"/proc/{pid}/status").splitlines()
        except (FileNotFoundError, ProcessLookupError):
            return []
        return next((line for line in lines if line.startswith("NSpid")), "").split()[1:]


if __name__ == "__main__":
    tap.main()
