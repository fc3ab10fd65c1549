# SPDX-License-Identifier: BSD-2-Clause
"""Debian packages, unpacked into a folder: nothing is installed, and the machine's apt is left alone.

An apt configuration of its own, in that folder, knows the suites that have the kernels. What has
been fetched once is kept. Packages have versions, so that every machine tests the same; a mirror drops
a version when the next one comes, and then the newest that is there is taken instead.
"""

import functools
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
APT::Get::List-Cleanup "0";
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


# A kernel's name has its ABI in the middle: linux-image-6.1.0-50-cloud-amd64.
ABI = r"\d[^-]*(?:-\d[^-]*)*"
KERNEL = re.compile(rf"([a-z-]+)-{ABI}-([a-z].*)")
SERIES = re.compile(r"(?:\d+:)?\d+\.\d+")


class PackageError(Exception):
    """In the user's words."""


def like(package):
    """What names of packages of this kind match: a kernel's flavour of any ABI, its one group."""
    kernel = KERNEL.fullmatch(package)
    if not kernel:
        return re.compile(f"{re.escape(package)}()")
    kind, flavour = map(re.escape, kernel.groups())
    return re.compile(f"{kind}-({ABI})-{flavour}")


def compare(one, other):
    """Which version is newer, as Debian has it: below, equal to or above 0."""
    for sign, word in ((-1, "lt"), (1, "gt")):
        if not subprocess.run(["dpkg", "--compare-versions", one, word, other]).returncode:
            return sign
    return 0


def choose(packages, version, there):
    """
    (version, packages) to take of `there`, {package: versions}: those that are wanted if the mirror
    has them all; else the newest of the same kind, all of one ABI and version, and of the same
    series (6.1) if it has any of that. None: there is no such package.
    """
    found = {}  # (ABI, version): {number of the wanted one: package}
    for number, pattern in enumerate(map(like, packages)):
        for package, versions in there.items():
            match = pattern.fullmatch(package)
            for its_version in versions if match else ():
                found.setdefault((match.group(1), its_version), {})[number] = package
    whole = [(its_version, list(named.values())) for (_, its_version), named in found.items()
             if len(named) == len(packages)]
    if (version, list(packages)) in whole:
        return version, list(packages)

    def order(one, other):
        series = SERIES.match(version).group()
        of_series = [re.match(rf"{re.escape(series)}\b", it[0]) is not None for it in (one, other)]
        return of_series[0] - of_series[1] or compare(one[0], other[0])

    return max(whole, key=functools.cmp_to_key(order), default=None)


class Packages:
    """What the mirror has, and what of it was fetched into a folder."""

    def __init__(self, folder):
        self.folder = folder
        self.apt = os.path.join(folder, "apt")
        self.updated = set()  # suites

    def fetch(self, suite, version, *packages, arch="amd64"):
        """
        The folders with the contents of packages of one version, without what they depend on, and
        the version that was taken: see choose().
        """
        if not all(os.path.isdir(self.folder_of(p, version, arch)) for p in packages):
            version, packages = self.choose(suite, version, packages, arch)
        return [self.fetch_one(suite, version, p, arch) for p in packages], version

    def folder_of(self, package, version, arch):
        name = f"{package}_{version}_{arch}".replace(":", "%")
        return os.path.join(self.folder, "unpacked", name)

    def fetch_one(self, suite, version, package, arch):
        """The folder with the contents of a package that the mirror has."""
        target = self.folder_of(package, version, arch)
        if not os.path.isdir(target):
            with tempfile.TemporaryDirectory(dir=self.apt) as debs:
                self.try_to_fetch("apt-get", *self.only(suite), "download",
                                  f"{package}:{arch}={version}", cwd=debs,
                                  wrong=f"cannot fetch {package} {version} from {suite}")
                self.unpack(glob.glob(f"{debs}/*.deb"), target)
        return target

    def choose(self, suite, version, packages, arch):
        """The same as choose(), of what the suite has now. What is taken instead is said."""
        self.update(suite)
        chosen = choose(packages, version, self.there(suite, packages, arch))
        if not chosen:
            raise PackageError(f"{suite} has no {' with '.join(packages)} ({arch}), of whatever "
                               "version: put what it has into scripts/maintain/kernels")
        if chosen != (version, list(packages)):
            print(f"kernels: {suite} does not have {packages[0]} {version}: taking {chosen[1][0]} "
                  f"{chosen[0]} instead", file=sys.stderr, flush=True)
        return chosen

    def there(self, suite, packages, arch):
        """{package: versions} of what the suite has of the kinds of these."""
        def ask(*words):
            return self.run("apt-cache", *self.only(suite), *words,
                            wrong=f"cannot find out what {suite} has").splitlines()

        patterns = list(map(like, packages))
        names = sorted({name for package in packages for name in ask("pkgnames", package[:3])
                        if any(pattern.fullmatch(name) for pattern in patterns)})
        versions = {}
        for line in ask("madison", *(f"{name}:{arch}" for name in names)) if names else ():
            name, its_version = (word.strip() for word in line.split("|")[:2])
            versions.setdefault(name.split(":")[0], []).append(its_version)
        return versions

    def fetch_with_dependencies(self, name, suites, packages, arch="amd64"):
        """The folder with several packages and all that they depend on: a system of their own."""
        # Another list of packages is another folder.
        number = zlib.crc32(" ".join([*suites, *packages]).encode())
        target = os.path.join(self.folder, "unpacked", f"{name}-{number:08x}")
        if not os.path.isdir(target):
            self.update(*suites)
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

    def update(self, *suites):
        """Reads the package lists of the suites once. A suite that is gone does not affect the others."""
        if not self.updated:
            self.prepare()
        for suite in suites:
            if suite not in self.updated:
                # It would be content with what it could read.
                self.try_to_fetch("apt-get", *self.only(suite), "-q", "-o",
                                  "APT::Update::Error-Mode=any", "update",
                                  wrong=f"cannot read {suite} of {MIRROR}")
                self.updated.add(suite)

    def prepare(self):
        """The configuration, and a list of sources for each suite."""
        for name in ("state/lists/partial", "cache/archives/partial"):
            os.makedirs(os.path.join(self.apt, name), exist_ok=True)
        # No package is installed here, whatever the machine has: this system is its own.
        self.write("state/status", "")
        # How to reach a mirror, such as by a proxy, is the machine's to say.
        reach = subprocess.run(["apt-config", "dump", "Acquire::http", "Acquire::https",
                                "Acquire::Check-Valid-Until", "Acquire::Check-Date"],
                               capture_output=True, text=True)
        self.write("apt.conf", reach.stdout + CONFIGURATION.format(apt=self.apt))
        for suite, arch in SUITES.items():
            self.write(f"{suite}.list",
                       f"deb [arch={arch} signed-by={KEYRING}] {MIRROR} {suite} main\n")

    def only(self, *suites):
        """Options of apt that make it see these suites and no other."""
        name = "-".join(suites)
        if len(suites) > 1:
            text = ""
            for suite in suites:
                with open(os.path.join(self.apt, f"{suite}.list"), encoding="ascii") as file:
                    text += file.read()
            self.write(f"{name}.list", text)
        return ["-o", f"Dir::Etc::sourcelist={os.path.join(self.apt, name)}.list"]

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
