# SPDX-License-Identifier: BSD-2-Clause
"""scripts/maintain/kernels: the packages that it uses when a mirror has dropped the wanted ones."""

import contextlib
import io
import os
import sys
import tempfile
import unittest
from unittest import mock

import script
import tap

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts/maintain")
sys.path.insert(0, SCRIPTS)

import kernels_packages  # noqa: E402

kernels = script.load("scripts/maintain/kernels")

CLOUD = ["linux-image-6.1.0-50-cloud-amd64"]
# Other packages of a mirror.
OTHERS = {"linux-image-cloud-amd64": ["6.1.200-1"],
          "linux-image-6.1.0-60-rt-amd64": ["6.1.190-1"],
          "linux-image-6.1.0-60-amd64": ["6.1.190-1"],
          "linux-image-6.1.0-60-cloud-amd64-unsigned": ["6.1.190-1"],
          "linux-headers-6.1.0-60-cloud-amd64": ["6.1.190-1"]}


class Choice(unittest.TestCase):
    """choose() among the packages of a mirror."""

    def check(self, packages, version, there, expected):
        self.assertEqual(kernels_packages.choose(packages, version, there), expected)

    def test_wanted(self):
        """the wanted package, as long as it is there"""
        there = {**OTHERS, **{CLOUD[0]: ["6.1.176-1"],
                              "linux-image-6.1.0-51-cloud-amd64": ["6.1.180-1"]}}
        self.check(CLOUD, "6.1.176-1", there, ("6.1.176-1", CLOUD))

    def test_newest(self):
        """otherwise the newest of its flavour, in the order of Debian's versions"""
        there = {**OTHERS,
                 "linux-image-6.1.0-9-cloud-amd64": ["6.1.27-1"],
                 "linux-image-6.1.0-52-cloud-amd64": ["6.1.180-9"],
                 "linux-image-6.1.0-53-cloud-amd64": ["6.1.180-10~deb12u1", "6.1.180-10"]}
        self.check(CLOUD, "6.1.176-1", there,
                   ("6.1.180-10", ["linux-image-6.1.0-53-cloud-amd64"]))

    def test_same_abi(self):
        """another version of the same package counts, too"""
        self.check(CLOUD, "6.1.176-1", {CLOUD[0]: ["6.1.177-1"]}, ("6.1.177-1", CLOUD))

    def test_series(self):
        """the same series before a newer one"""
        wanted = ["linux-image-7.2.13+deb14-cloud-amd64"]
        newer = {"linux-image-7.20.1+deb14-cloud-amd64": ["7.20.1-1"],
                 "linux-image-7.3.1+deb14-cloud-amd64": ["7.3.1-1"]}
        older = {"linux-image-7.2.9+deb14-cloud-amd64": ["7.2.9-1"]}
        self.check(wanted, "7.2.13-1", {**newer, **older}, ("7.2.9-1", list(older)))
        self.check(wanted, "7.2.13-1", newer, ("7.20.1-1", list(newer)[:1]))

    def test_parts(self):
        """several packages are of one ABI and version, in the order in which they are wanted"""
        wanted = ["linux-binary-7.2.13+deb14-rt-amd64", "linux-base-7.2.13+deb14-rt-amd64"]
        there = {"linux-base-7.2.15+deb14-rt-amd64": ["7.2.15-1"],
                 "linux-binary-7.2.14+deb14-rt-amd64": ["7.2.14-1"],
                 "linux-base-7.2.14+deb14-rt-amd64": ["7.2.14-1"],
                 "linux-binary-unsigned-7.2.15+deb14-rt-amd64": ["7.2.15-1"]}
        self.check(wanted, "7.2.13-1", there,
                   ("7.2.14-1", ["linux-binary-7.2.14+deb14-rt-amd64",
                                 "linux-base-7.2.14+deb14-rt-amd64"]))

    def test_other_packages(self):
        """a package that is no kernel keeps its name"""
        self.check(["lld-14"], "1:14.0.6-12", {"lld-14": ["1:14.0.6-13"], "lld-15": ["1:15-1"]},
                   ("1:14.0.6-13", ["lld-14"]))

    def test_none(self):
        """no package, if there is none of its flavour"""
        self.check(CLOUD, "6.1.176-1", OTHERS, None)
        self.check(CLOUD, "6.1.176-1", {}, None)

    def test_table(self):
        """each package of the table is its own first choice"""
        for _, version, *packages in (*kernels.KERNELS.values(), kernels.BUSYBOX, kernels.LINKER):
            self.check(packages, version, {package: [version] for package in packages},
                       (version, packages))


class Fetching(unittest.TestCase):
    """Packages from a mirror that has others."""

    def fetch(self, there):
        """(result of fetch(), fetched packages, output)."""
        fetched, said = [], io.StringIO()
        with tempfile.TemporaryDirectory(prefix="test-ipctrace-") as folder:
            packages = kernels_packages.Packages(folder)
            with mock.patch.multiple(packages, update=mock.DEFAULT, there=lambda *_: there,
                                     fetch_one=lambda *words: fetched.append(words) or "folder"), \
                    contextlib.redirect_stderr(said):
                return packages.fetch("bookworm", "6.1.176-1", *CLOUD), fetched, said.getvalue()

    def test_instead(self):
        """it uses another package and says so"""
        other = "linux-image-6.1.0-51-cloud-amd64"
        result, fetched, said = self.fetch({other: ["6.1.180-1"]})
        self.assertEqual(result, (["folder"], "6.1.180-1"))
        self.assertEqual(fetched, [("bookworm", "6.1.180-1", other, "amd64")])
        for word in (CLOUD[0], "6.1.176-1", other, "6.1.180-1"):
            self.assertIn(word, said)

    def test_wanted(self):
        """it says nothing about packages that are there"""
        result, fetched, said = self.fetch({CLOUD[0]: ["6.1.176-1"]})
        self.assertEqual((result, said), ((["folder"], "6.1.176-1"), ""))
        self.assertEqual(fetched, [("bookworm", "6.1.176-1", *CLOUD, "amd64")])

    def test_none(self):
        """it fails if there is none"""
        with self.assertRaisesRegex(kernels_packages.PackageError, "bookworm has no linux-image"):
            self.fetch({})


class Table(unittest.TestCase):
    """The table at the end."""

    def test_instead(self):
        """a replaced version is shown in the table and below it, and is no failure"""
        rows = [kernels.Row("6.1"), kernels.Row("5.10")]
        for row in rows:
            row.problems = {case.name: [] for case in kernels.cases.CASES}
        rows[0].version = "6.1.180-1"
        shown = io.StringIO()
        with contextlib.redirect_stdout(shown):
            kernels.show(rows, False)
        lines = shown.getvalue().splitlines()
        self.assertTrue(lines[1].startswith("6.1 (6.1.180-1)  ok"))
        self.assertTrue(lines[2].startswith("5.10             ok"))
        self.assertRegex(lines[3], r"^6\.1: bookworm does not have \S+ any more: 6\.1\.180-1 ")
        self.assertFalse(rows[0].failed)


if __name__ == "__main__":
    tap.main()
