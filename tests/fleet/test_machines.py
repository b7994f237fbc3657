"""One plan on six boards, of which three are emulated machines with kernels and processors of their
own. Run only with --machines."""

import time

import pytest
from emulated import board as boards
from emulated.disk import MIB, Disk
from emulated.machine import Lab
from site_of_hosts import HERE, LABEL, Site, sh, shell, ssh_options
from test_hosts import REMOVE_ALL

HOSTS = ["host-1", "host-2", "host-3"]
CARD = Disk("card", 1024 * MIB, "card")
# The board, its disk and target, the end of its address, the time of its run, and the model that a
# Raspberry Pi reports.
MACHINES = {
    "pc": (boards.PC_SSH, Disk("disk", 1024 * MIB, serial="DISK-1"), "/dev/vda", 31, "90s", None),
    "pi-3": (boards.PI3_SSH, CARD, "/dev/mmcblk0", 32, "5m", "Raspberry Pi 3 Model B"),
    "pi-1": (boards.PI1_SSH, CARD, "/dev/mmcblk0", 33, "5m", "Raspberry Pi Model A+"),
}
# An emulated processor takes long to answer.
CONNECT_S = 90
# What is measured: as little as an emulated card can take in minutes.
PLAN = """title = "Which filesystem for this card?"
[region]
size = "64m"
[[stack]]
fs = "ext4"
[[stack]]
fs = "ext2"
[[workload]]
rw = "randwrite"
bs = "4k"
size = "4m"
io_size = "128k"
fsync = 16
[protocol]
mode = "quick"
cell_min = "50ms"
cell_min_ios = 8
time = "40s"
"""


class Networked:
    """An emulated machine in the network of the hosts, which answers once this is made."""

    def __init__(self, site, lab, name):
        board, disk, self.target, number, _, _ = MACHINES[name]
        self.key, self.address = site.folder / "key", f"192.0.2.{number}"
        sh("ip", "addr", "add", f"{self.address}/32", "dev", "boards")
        machine = lab.machine(board, f"fleet-{name}", [disk], self.address)
        self.guest = machine.boot()
        # A network interface on USB is found a moment after the system is up.
        self.guest.wait_for("[ $(ls /sys/class/net | wc -l) -ge 2 ]")
        start = (HERE.parent / "machines/emulated/networked.sh").read_text()
        self.guest.ok(f"set -- {name} {int(time.time())}\n{start}")
        [drive] = self.guest.json("bakeoff devices --format json")["drives"]
        self.erase_token = drive["erase_token"]
        # It is the playbook that has to install it.
        self.guest.ok("rm /usr/bin/bakeoff && rm -rf /root/.local && ! command -v bakeoff")

    def variables(self) -> dict:
        return {
            "ansible_host": self.address,
            "ansible_ssh_common_args": ssh_options(CONNECT_S),
            "bakeoff_targets": [self.target],
            "bakeoff_erase": [self.erase_token],
        }

    def shell(self, script: str) -> str:
        return shell(self.address, self.key, CONNECT_S, script)


@pytest.fixture(scope="module")
def site(request, tools, network, program):
    lab = Lab(program, request.config.getoption("--released"))
    programs = {board.binary: lab.program(board) for board, *_ in MACHINES.values()}
    site = Site(tools, programs, HOSTS, PLAN)
    for host in site.hosts.values():
        host.start()
    lab.files = {"root/.ssh/authorized_keys": site.folder / "key.pub"}
    for name, (*_, time_limit, _) in MACHINES.items():
        site.machines[name] = Networked(site, lab, name)
        site.variables[name] = {"bakeoff_time": time_limit}
    yield site
    for host in site.hosts.values():
        host.remove()
    for machine in site.machines.values():
        machine.guest.kill()


def test_the_playbook_installs_checks_runs_and_collects_on_every_machine(site):
    # Two at a time, so that each has a processor of this machine.
    site.play("bakeoff", "--extra-vars", '{"bakeoff_serial": 2}').fails_only()
    for machine in site.machines.values():
        machine.shell("/usr/local/bin/bakeoff --version")


def test_the_second_time_changes_nothing(site):
    played = site.play("bakeoff")
    played.fails_only()
    assert not any(played.changed(name) for name in played.recaps), played.said


def test_the_answer_names_every_board(site):
    report = site.json("compare", LABEL, "--across", "board")
    names = {answer["name"].split(" (")[0] for answer in report["answers_across"]["answers"]}
    assert names == {*HOSTS, *MACHINES} and report["is_alike"]


def test_removing_removes_everything(site):
    site.play("remove", *REMOVE_ALL).fails_only()
    for machine in site.machines.values():
        machine.shell("test ! -e /usr/local/bin/bakeoff && test ! -e /var/lib/bakeoff")
