# SPDX-License-Identifier: BSD-2-Clause
"""Debian packages, unpacked into a folder: nothing is installed, and the machine's apt is left alone.

An apt configuration of its own, in that folder, knows the suites that have the kernels. What has
been fetched once is kept.
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import zlib

MIRROR = os.environ.get("DEBIAN_MIRROR", "http://deb.debian.org/debian")
PAUSES_S = (5, 20, 60)  # before it is tried again to fetch something
# The mirror has been reached, and does not have it.
ABSENT = re.compile("was not found|Unable to locate|Can't find a source")
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
SUITES = {"bullseye": "amd64", "bookworm": "amd64,arm64", "bookworm-backports": "amd64",
          "trixie": "amd64", "sid": "amd64"}

CONFIGURATION = """
APT::Architecture "amd64";
APT::Architectures {{ "amd64"; "arm64"; }};
APT::Sandbox::User "";
APT::Install-Recommends "0";
Acquire::Languages "none";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
Dir::State "{apt}/state";
Dir::State::status "{apt}/state/status";
Dir::Cache "{apt}/cache";
Dir::Log "{apt}";
Dir::Etc "{apt}";
Dir::Etc::main "/dev/null";
Dir::Etc::parts "/dev/null";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
"""


class PackageError(Exception):
    """In the user's words."""


class Packages:
    """What the mirror has, and what of it was fetched into a folder."""

    def __init__(self, folder):
        self.folder = folder
        self.apt = os.path.join(folder, "apt")
        self.updated = False

    def fetch(self, suite, version, package, arch="amd64"):
        """The folder with the contents of one package, without what it depends on."""
        name = f"{package}_{version}_{arch}".replace(":", "%")
        target = os.path.join(self.folder, "unpacked", name)
        if not os.path.isdir(target):
            self.update()
            with tempfile.TemporaryDirectory(dir=self.apt) as debs:
                self.try_to_fetch("apt-get", *self.only(suite), "download",
                                  f"{package}:{arch}={version}", cwd=debs,
                                  wrong=f"cannot fetch {package} {version} from {suite}: "
                                  f"{self.present(suite, package, arch)}")
                self.unpack(glob.glob(f"{debs}/*.deb"), target)
        return target

    def fetch_with_dependencies(self, name, suites, packages, arch="amd64"):
        """The folder with several packages and all that they depend on: a system of their own."""
        # Another list of packages is another folder.
        number = zlib.crc32(" ".join([*suites, *packages]).encode())
        target = os.path.join(self.folder, "unpacked", f"{name}-{number:08x}")
        if not os.path.isdir(target):
            self.update()
            options = [*self.only(*suites), "-o", f"APT::Architecture={arch}",
                       "-o", f"APT::Architectures={arch}", "-t", suites[-1]]
            words = " ".join(packages)
            archives = os.path.join(self.apt, "cache/archives")
            # What an interrupted run has left there would not be planned to be fetched.
            for left in glob.glob(f"{archives}/*.deb"):
                os.unlink(left)
            planned = self.run("apt-get", *options, "-y", "--print-uris", "install", *packages,
                               wrong=f"cannot find out what {words} depend on")
            self.try_to_fetch("apt-get", *options, "-qy", "--download-only", "install", *packages,
                              wrong=f"cannot fetch {words}")
            self.unpack([os.path.join(archives, line.split()[1])
                         for line in planned.splitlines() if line.startswith("'")], target)
        return target

    def present(self, suite, package, arch):
        """What to do about a version that the mirror does not have (any more)."""
        stem = package.split("-")
        flavour = "-".join(word for word in stem if not word[0].isdigit())
        shown = subprocess.run(["apt-cache", *self.only(suite), "search", "--names-only",
                                f"^{stem[0]}-{stem[1]}-.*-{stem[-2]}-{stem[-1]}$"],
                               env=self.environment(), capture_output=True, text=True)
        there = [line.split()[0] for line in shown.stdout.splitlines()]
        return (f"it has {', '.join(there) or 'none such'}: put one of these and its version into "
                f"scripts/kernels ({flavour}, {arch})")

    def unpack(self, debs, target):
        """All or nothing: a folder that exists is complete."""
        unfinished = target + ".unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        os.makedirs(unfinished)
        if not debs:
            raise PackageError(f"cannot unpack {target}: nothing was fetched")
        for deb in debs:
            self.run("dpkg", "-x", deb, unfinished, wrong=f"cannot unpack {deb}")
        os.rename(unfinished, target)
        for deb in debs:
            os.unlink(deb)

    def update(self):
        """Once: reads the suites' lists of packages anew."""
        if self.updated:
            return
        for name in ("state/lists/partial", "cache/archives/partial"):
            os.makedirs(os.path.join(self.apt, name), exist_ok=True)
        # No package is installed here, whatever the machine has: this system is its own.
        self.write("state/status", "")
        # How to reach a mirror, such as by a proxy, is the machine's to say.
        reach = subprocess.run(["apt-config", "dump", "Acquire::http", "Acquire::https",
                                "Acquire::Check-Valid-Until", "Acquire::Check-Date"],
                               capture_output=True, text=True)
        self.write("apt.conf", reach.stdout + CONFIGURATION.format(apt=self.apt))
        self.write_lists()
        # It would be content with what it could read.
        self.try_to_fetch("apt-get", *self.only(), "-q", "-o", "APT::Update::Error-Mode=any",
                          "update", wrong=f"cannot read {MIRROR}")
        self.updated = True

    def write_lists(self):
        """A list of sources for each suite, and one of all."""
        lines = {suite: f"deb [arch={arch} signed-by={KEYRING}] {MIRROR} {suite} main\n"
                 for suite, arch in SUITES.items()}
        self.write("all.list", "".join(lines.values()))
        for suite, line in lines.items():
            self.write(f"{suite}.list", line)

    def only(self, *suites):
        """Options of apt that make it see these suites and no other; none: all."""
        name = "-".join(suites) or "all"
        path = os.path.join(self.apt, f"{name}.list")
        if len(suites) > 1:
            text = ""
            for suite in suites:
                with open(os.path.join(self.apt, f"{suite}.list"), encoding="ascii") as file:
                    text += file.read()
            self.write(f"{name}.list", text)
        return ["-o", f"Dir::Etc::sourcelist={path}"]

    def write(self, name, text):
        with open(os.path.join(self.apt, name), "w", encoding="ascii") as file:
            file.write(text)

    def environment(self):
        return dict(os.environ, APT_CONFIG=os.path.join(self.apt, "apt.conf"), LC_ALL="C")

    def try_to_fetch(self, *command, wrong, cwd=None):
        """run() of what a mirror, or the way to it, may fail for a moment."""
        for pause_s in PAUSES_S:
            try:
                return self.run(*command, wrong=wrong, cwd=cwd)
            except PackageError as error:
                if ABSENT.search(str(error)):
                    raise
                print(f"kernels: {error}: trying again in {pause_s} s", file=sys.stderr, flush=True)
                time.sleep(pause_s)
        return self.run(*command, wrong=wrong, cwd=cwd)

    def run(self, *command, wrong, cwd=None):
        """Its output, or PackageError with what it could not fetch, or its last words."""
        done = subprocess.run(command, env=self.environment(), cwd=cwd, capture_output=True,
                              text=True, stdin=subprocess.DEVNULL)
        if done.returncode:
            said = (done.stderr.strip() or done.stdout.strip()).splitlines()
            why = [line for line in said if "Failed to fetch" in line][:1] or said[-1:]
            raise PackageError(": ".join([wrong, *why]))
        return done.stdout
