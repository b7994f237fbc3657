"""The hosts of the tests, their inventory, and playbooks over them."""

import json
import os
import shutil
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
LABEL = "cards"
# Addresses that nobody has (RFC 5737).
CONTROLLER = "192.0.2.1"
PLAYBOOK_LIMIT_S = 2400
START_LIMIT_S = 60
# Machines by `uname -m`, with the ends of the names of their archive and their package.
RELEASED = {
    "x86_64": ("x86_64", "_amd64"),
    "aarch64": ("aarch64", "_arm64"),
    "armv7l": ("armv7", "_armhf"),
    "armv6l": ("armv6", "+rpi1_armhf"),
}
VERSION = next(
    line.split('"')[1]
    for line in (ROOT / "Cargo.toml").read_text().splitlines()
    if line.startswith("version = ")
)
# What is measured: little, since no test looks at a figure.
PLAN = """title = "Which filesystem for this card?"
[region]
size = "512m"
[[stack]]
fs = "ext4"
[[stack]]
fs = "ext2"
[[workload]]
name = "randwrite"
[protocol]
mode = "quick"
time = "40s"
"""


def sh(*words, **options) -> str:
    """Runs a command that has to succeed, and returns what it printed."""
    ended = subprocess.run(
        [str(word) for word in words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )
    assert ended.returncode == 0, f"{words} ended with {ended.returncode}: {ended.stderr}"
    return ended.stdout


def retry(attempt, limit_s=START_LIMIT_S):
    """Repeats what may fail until it does not, and returns what it gave."""
    end = time.monotonic() + limit_s
    while True:
        try:
            return attempt()
        except (AssertionError, OSError):
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


def ssh_options(connect_s: int) -> str:
    return (
        "-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR "
        f"-o ConnectTimeout={connect_s} -o IdentitiesOnly=yes -o BatchMode=yes"
    )


@dataclass
class Tools:
    """Ansible from `scripts/ansible.sh`, with a home of its own and none of this machine's
    settings."""

    folder: Path

    def environment(self) -> dict:
        packages = self.folder / "packages"
        (self.folder / "ansible.cfg").touch()
        kept = {key: value for key, value in os.environ.items() if key != "XDG_DATA_HOME"}
        return kept | {
            "PYTHONPATH": str(packages),
            "PATH": f"{packages / 'bin'}:{os.environ['PATH']}",
            "HOME": str(self.folder / "home"),
            "ANSIBLE_COLLECTIONS_PATH": str(self.folder / "collections"),
            "ANSIBLE_CONFIG": str(self.folder / "ansible.cfg"),
            "ANSIBLE_HOST_KEY_CHECKING": "False",
            # The path of a socket may have no more than 107 bytes.
            "ANSIBLE_SSH_CONTROL_PATH_DIR": "/tmp/bakeoff-fleet",
            "ANSIBLE_NOCOLOR": "1",
            "NO_COLOR": "1",
            "LC_ALL": "C.UTF-8",
        }

    def run(self, program: str, *words, **options) -> str:
        path = self.folder / "packages/bin" / program
        return sh(path, *words, env=self.environment(), **options)


@dataclass
class Host:
    """A host in namespaces of its own, with an SSH server and an empty image to measure."""

    folder: Path
    name: str
    number: int
    process: subprocess.Popen | None = None

    def __post_init__(self):
        (self.folder / "root/srv").mkdir(parents=True)
        with (self.folder / f"root{self.image}").open("wb") as file:
            file.truncate(1 << 30)

    @property
    def image(self) -> str:
        return f"/srv/{self.name}.img"

    @property
    def address(self) -> str:
        return f"192.0.2.{self.number}"

    @property
    def link(self) -> str:
        return f"host{self.number}"

    def variables(self) -> dict:
        return {
            "ansible_host": self.address,
            "bakeoff_targets": [self.image],
            "bakeoff_erase": [f"{self.name}.img"],
        }

    def set_full(self, is_full: bool):
        """The folder of its results is full from its next start on, or no longer."""
        mark = self.folder / "full"
        mark.touch() if is_full else mark.unlink()

    def set_throttled(self, bits: int):
        """The firmware of a Raspberry Pi reports these bits of `get_throttled`."""
        (self.folder / "get_throttled").write_text(f"{bits:x}\n")

    def start(self):
        pid = self.folder / "pid"
        pid.unlink(missing_ok=True)
        own = "--net --mount --propagation slave --uts --ipc --pid --fork --kill-child"
        host = ["sh", HERE / "host.sh", self.folder, self.name, self.address]
        with (self.folder / "log").open("wb") as log:
            self.process = subprocess.Popen(
                ["unshare", *own.split(), *host], stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )
        inside = retry(lambda: pid.read_text().strip())
        to = f"master boards type veth peer name eth0 netns {inside}"
        sh("ip", "link", "add", self.link, *to.split())
        sh("ip", "link", "set", self.link, "up")
        retry(lambda: self.shell("true"))

    def kill(self):
        """Cuts its power."""
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None

            # Its end of the cable goes with it and takes ours along, sooner or later.
            def is_gone():
                shown = subprocess.run(["ip", "link", "show", self.link], capture_output=True)
                assert shown.returncode, f"{self.link} is still there"

            retry(is_gone)

    def remove(self):
        self.kill()
        image = f"{self.folder}/root{self.image}"
        for device in sh("losetup", "-nO", "NAME", "--associated", image).split():
            subprocess.run(["losetup", "--detach", device], check=False)

    def set_connected(self, is_connected: bool):
        """Pulls its network cable, or plugs it in again."""
        sh("ip", "link", "set", self.link, "up" if is_connected else "down")

    def shell(self, script: str) -> str:
        return shell(self.address, self.folder.parent / "key", 5, script)

    def files(self) -> list[str]:
        """Its own files with sizes and times, without those of a login and of this machine."""
        shown = "-type f -not -path '*/.ansible/*' -not -name '*.pyc' -printf '%p %s %T@\\n'"
        folders = "usr/upper etc/upper var/upper/lib var/upper/cache root/root root/srv"
        there = [folder for folder in folders.split() if (self.folder / folder).exists()]
        here = sh("sh", "-c", f'find "$@" {shown}', "find", *there, cwd=self.folder)
        return sorted((here + self.shell(f"find /tmp {shown}")).splitlines())


def shell(address: str, key: Path, connect_s: int, script: str) -> str:
    return sh("ssh", *ssh_options(connect_s).split(), "-i", key, f"root@{address}", script)


@dataclass
class Played:
    """A playbook that ended: what it printed, and by host how many tasks changed something, failed,
    and whether the host was lost."""

    said: str
    recaps: dict[str, dict[str, int]] = field(default_factory=dict)

    def __post_init__(self):
        _, found, lines = self.said.rpartition("PLAY RECAP")
        assert found, f"no recap in\n{self.said}"
        for line in lines.splitlines():
            name, colon, counts = line.partition(":")
            if colon and "ok=" in counts:
                pairs = (word.split("=") for word in counts.split())
                self.recaps[name.strip()] = {key: int(count) for key, count in pairs}

    def changed(self, name: str) -> int:
        return self.recaps[name]["changed"]

    def fails_only(self, *names: str):
        for name, recap in self.recaps.items():
            is_lost = recap["failed"] + recap["unreachable"] > 0
            assert is_lost == (name in names), f"{name}: {recap}\n{self.said}"

    def says(self, words: str):
        """It printed this, wherever lines are broken."""
        assert words in " ".join(self.said.split()), f"no '{words}' in\n{self.said}"


class Site:
    """Hosts, in a folder that is emptied, and the files of a release that they install from."""

    def __init__(self, tools: Tools, programs: dict[str, Path], names: list[str], plan: str):
        self.tools, self.programs, self.program = tools, programs, programs["x86_64"]
        self.folder = tools.folder / "hosts"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        for name in ("key", "host_key"):
            sh("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.folder / name)
        self.hosts = {
            name: Host(self.folder / name, name, number) for number, name in enumerate(names, 11)
        }
        self.machines: dict = {}
        # Variables of one host each, which differ from those of all.
        self.variables: dict[str, dict] = {}
        (self.folder / "plan.toml").write_text(plan)
        self.release = self.folder / "release"
        self._make_release()

    def _make_release(self):
        """A folder like that of a release: the programs under test, and for machines without one a
        program that prints its machine."""
        for machine, (archive, package) in RELEASED.items():
            name = f"bakeoff-{VERSION}-linux-{archive}"
            work, packed = self.release / "work" / name, self.release / "work" / package
            for folder in (work, packed / "usr/bin", packed / "DEBIAN"):
                folder.mkdir(parents=True)
            if archive not in self.programs:
                (work / "bakeoff").write_text(f"#!/bin/sh\necho {machine}\n")
                (work / "bakeoff").chmod(0o755)
            elif archive == "x86_64":
                sh("strip", "-o", work / "bakeoff", self.programs[archive])
            else:
                shutil.copy(self.programs[archive], work / "bakeoff")
            shutil.copy(work / "bakeoff", packed / "usr/bin")
            tar = ["tar", "--create", "--use-compress-program=xz -0", "--file"]
            sh(*tar, self.release / f"{name}.tar.xz", "-C", self.release / "work", name)
            suffix, architecture = package.split("_")
            (packed / "DEBIAN/control").write_text(
                f"Package: bakeoff\nVersion: {VERSION}{suffix}\nArchitecture: {architecture}\n"
                "Maintainer: bakeoff <bakeoff@bakeoff.example>\nDescription: Program under test\n"
            )
            build = ["dpkg-deb", "--build", "--root-owner-group", "-Zxz", "-z0", packed]
            sh(*build, self.release / f"bakeoff_{VERSION}{package}.deb")
        sh("sh", "-c", "sha256sum -- *.tar.xz *.deb >SHA256SUMS", cwd=self.release)

    def inventory(self) -> dict:
        hosts = {
            name: host.variables() | self.variables.get(name, {})
            for name, host in {**self.hosts, **self.machines}.items()
        }
        variables = {
            "ansible_user": "root",
            "ansible_python_interpreter": "/usr/bin/python3",
            "ansible_ssh_private_key_file": str(self.folder / "key"),
            "ansible_ssh_common_args": ssh_options(5),
            "bakeoff_source": str(self.release),
            # As people write paths: from where they start the playbook.
            "bakeoff_plan": "plan.toml",
            "bakeoff_label": LABEL,
            "bakeoff_bundles": "bundles",
            "bakeoff_local_program": str(self.program),
            "bakeoff_tools": False,
            # Other work on this machine is none of the tests' business.
            "bakeoff_anyway": True,
            "bakeoff_poll_s": 2,
        }
        return {"boards": {"hosts": hosts, "vars": variables}}

    def begin(self, playbook: str, *words) -> subprocess.Popen:
        """Starts a playbook of the collection, which prints into playbook.log."""
        inventory = self.folder / "inventory.json"
        inventory.write_text(json.dumps(self.inventory()))
        play = [self.tools.folder / "packages/bin/ansible-playbook", "--inventory", inventory]
        play += ["--forks", "10", f"bakeoff.bakeoff.{playbook}", *words]
        with (self.folder / "playbook.log").open("wb") as log:
            return subprocess.Popen(
                [str(word) for word in play],
                cwd=self.folder,
                env=self.tools.environment(),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def said(self) -> str:
        return (self.folder / "playbook.log").read_text()

    def end(self, playing: subprocess.Popen) -> Played:
        try:
            playing.wait(PLAYBOOK_LIMIT_S)
        finally:
            playing.kill()
        return Played(self.said())

    def play(self, playbook: str, *words) -> Played:
        return self.end(self.begin(playbook, *words))

    def bakeoff(self, *words, **environment) -> str:
        """Runs the program under test on the controller; 1 says that an answer is open."""
        kept = {key: value for key, value in os.environ.items() if key != "XDG_DATA_HOME"}
        kept |= {"HOME": str(self.tools.folder / "home")} | environment
        ended = subprocess.run([self.program, *words], env=kept, capture_output=True, text=True)
        assert ended.returncode in (0, 1), ended.stderr
        return ended.stdout

    def json(self, *words, **environment):
        return json.loads(self.bakeoff(*words, "--format", "json", **environment))
