# SPDX-License-Identifier: BSD-2-Clause
"""The folders that make uses."""

import os
import subprocess
import unittest

import tap

TOP = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))


def make(build, *words, **environment):
    """The commands that make would run in an empty build folder."""
    mine = ("CFLAGS", "CPPFLAGS", "LDFLAGS", "SAN", "PREFIX", "prefix", "exec_prefix", "sbindir",
            "DESTDIR", "MAKEFLAGS", "MAKELEVEL")
    others = {name: value for name, value in os.environ.items() if name not in mine}
    done = subprocess.run(["make", "-n", "V=1", f"B={build}", *words], cwd=TOP,
                          env=dict(others, LC_ALL="C", **environment), capture_output=True,
                          text=True, check=True)
    return done.stdout.splitlines()


class Install(unittest.TestCase):
    """Where make install puts the program, by the names that GNU's standards give the folders."""

    def target(self, *words, **environment):
        line = next(line for line in make("build", "install", *words, **environment)
                    if line.startswith("install "))
        return line.split()[-1].strip('"')

    def test_folders(self):
        """it follows prefix, PREFIX, exec_prefix, sbindir and DESTDIR"""
        for words, path in (((), "/usr/local/sbin"),
                            (("prefix=/usr",), "/usr/sbin"),
                            (("PREFIX=/usr",), "/usr/sbin"),
                            (("exec_prefix=/e",), "/e/sbin"),
                            (("sbindir=/usr/bin",), "/usr/bin"),
                            (("DESTDIR=/d", "prefix=/usr"), "/d/usr/sbin"),
                            (("DESTDIR=/d", "sbindir=/s"), "/d/s")):
            with self.subTest(words):
                self.assertEqual(self.target(*words), f"{path}/ipctrace")
        self.assertEqual(self.target(PREFIX="/opt", DESTDIR="/d"), "/d/opt/sbin/ipctrace")


if __name__ == "__main__":
    tap.main()
