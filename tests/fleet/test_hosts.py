"""Seven hosts, each step starting where the one before it ended."""

import json
import time

import pytest
from site_of_hosts import LABEL, PLAN, RELEASED, VERSION, Site

HOSTS = ["ordinary", "second", "dies", "full", "wrong", "away", "hot"]
# Under-voltage and throttled, now and since boot.
NOW, SINCE_BOOT = 0x5, 0x50000
REMOVE_ALL = ("--extra-vars", '{"bakeoff_remove_results": true}')


@pytest.fixture(scope="module")
def site(tools, network, program):
    site = Site(tools, {"x86_64": program}, HOSTS, PLAN)
    site.hosts["full"].set_full(True)
    site.hosts["hot"].set_throttled(NOW | SINCE_BOOT)
    for host in site.hosts.values():
        host.start()
    yield site
    for host in site.hosts.values():
        host.remove()


def test_a_damaged_download_is_refused_before_any_board_changes(site):
    sums = site.release / "SHA256SUMS"
    right = sums.read_text()
    sums.write_text("".join(f"{'0' * 64}{line[64:]}\n" for line in right.splitlines()))
    played = site.play("bakeoff", "--limit", "ordinary")
    sums.write_text(right)
    played.fails_only("ordinary")
    played.says("checksum")
    site.hosts["ordinary"].shell("test ! -e /usr/local/bin/bakeoff")


def test_check_mode_shows_the_plan_and_the_tokens_and_changes_nothing(site):
    before = site.hosts["ordinary"].files()
    site.variables["second"] = {"bakeoff_erase": []}
    played = site.play("bakeoff", "--check", "--limit", "ordinary,second")
    site.variables.clear()
    # The board without a token stops after its plan, with the line for the inventory.
    played.fails_only("second")
    played.says("Which filesystem for this card?")
    played.says('bakeoff_erase: ["second.img"]')
    assert site.hosts["ordinary"].files() == before


def test_a_full_drive_a_wrong_token_and_a_power_cut_stop_only_their_boards(site):
    site.variables["wrong"] = {"bakeoff_erase": ["ordinary.img"]}
    site.variables["hot"] = {"bakeoff_anyway": False}
    playing = site.begin("bakeoff")
    await_block(site, playing, "dies")
    site.hosts["dies"].kill()
    site.hosts["away"].set_connected(False)
    time.sleep(15)
    site.hosts["away"].set_connected(True)
    played = site.end(playing)
    played.fails_only("dies", "full", "wrong", "hot")
    assert played.recaps["dies"]["unreachable"] == 1
    played.says("throttling now")
    played.says("no space left for the store")
    played.says("never erases unasked. /srv/wrong.img")
    played.says("ordinary.img is not its erase token")
    # Nothing happened on the board with the wrong token.
    wrong = site.hosts["wrong"]
    wrong.shell("test ! -e /var/lib/bakeoff/bakeoff.db")
    assert wrong.shell("head -c 1048576 /srv/wrong.img | tr -d '\\0' | wc -c").strip() == "0"


def await_block(site, playing, name):
    """Waits until a block of the run on a host is complete."""
    listing = "bakeoff runs --format json --store /var/lib/bakeoff/bakeoff.db"
    for _ in range(1000):
        assert playing.poll() is None, f"ended before a block was measured:\n{site.said()}"
        try:
            runs = json.loads(site.hosts[name].shell(listing))["runs"]
            if runs and runs[0]["blocks"]:
                return
        except (AssertionError, ValueError):
            pass
        time.sleep(0.3)
    raise AssertionError(f"no block was measured on {name}:\n{site.said()}")


def run_on(site, name):
    """The ID of the only run on a host, and its state."""
    listing = f"bakeoff runs {LABEL} --format json --store /var/lib/bakeoff/bakeoff.db"
    [run] = json.loads(site.hosts[name].shell(listing))["runs"]
    return run["run"], run["state"]


def test_the_second_time_resumes_and_repeats_only_what_failed(site):
    site.variables.clear()
    site.hosts["full"].kill()
    site.hosts["full"].set_full(False)
    site.hosts["full"].start()
    site.hosts["dies"].start()
    run, state = run_on(site, "dies")
    assert state == "dead"
    played = site.play("bakeoff")
    played.fails_only()
    changed = {name for name in HOSTS if played.changed(name)}
    assert changed == {"dies", "full", "wrong", "hot"}
    assert run_on(site, "dies") == (run, "stopped")


def test_the_third_time_changes_nothing(site):
    before = site.hosts["ordinary"].files()
    played = site.play("bakeoff")
    played.fails_only()
    assert not any(played.changed(name) for name in HOSTS), played.said
    assert site.hosts["ordinary"].files() == before


def test_the_controller_answers_for_all_boards_and_without_the_one_that_throttled(site):
    assert len(site.json("runs", LABEL)["runs"]) == len(HOSTS)
    report = site.json("compare", LABEL, "--across", "board")
    answers = report["answers_across"]["answers"]
    assert report["is_alike"] and len(answers) == len(HOSTS)
    [hot] = [answer for answer in answers if answer["name"].startswith("hot")]
    assert hot["candidate"] is None and "discarded" in hot["said"]


def test_another_plan_under_the_same_label_is_refused(site):
    site.variables["ordinary"] = {"bakeoff_plan": "sd-card"}
    played = site.play("bakeoff", "--limit", "ordinary,second")
    site.variables.clear()
    played.fails_only("ordinary")
    played.says("Choose another bakeoff_label")


def test_removing_removes_everything_and_changes_nothing_the_second_time(site):
    site.play("remove", *REMOVE_ALL).fails_only()
    for host in site.hosts.values():
        host.shell("test ! -e /usr/local/bin/bakeoff && test ! -e /var/lib/bakeoff")
    again = site.play("remove", *REMOVE_ALL)
    again.fails_only()
    assert not any(again.changed(name) for name in HOSTS), again.said


def install(site, machine, method):
    facts = {"ansible_facts": {"architecture": machine}, "bakeoff_method": method}
    words = ["--limit", "ordinary", "--tags", "install", "--extra-vars", json.dumps(facts)]
    return site.play("bakeoff", *words)


@pytest.mark.parametrize("machine", RELEASED)
def test_every_architecture_gets_its_archive_and_its_package(site, machine):
    host = site.hosts["ordinary"]
    if machine != "x86_64":
        install(site, machine, "archive").fails_only()
        assert host.shell("/usr/local/bin/bakeoff").strip() == machine
    played = install(site, machine, "package")
    host.shell(f"test -e /var/cache/bakeoff_{VERSION}{RELEASED[machine][1]}.deb")
    # What apt makes of the package of another architecture is not ours.
    if machine == "x86_64":
        played.fails_only()
        host.shell("/usr/bin/bakeoff --version")


def test_an_architecture_without_a_program_is_refused(site):
    played = install(site, "riscv64", "archive")
    played.fails_only("ordinary")
    played.says("bakeoff has no program for riscv64")
    words = ["--limit", "ordinary", "--extra-vars", '{"bakeoff_method": "package"}']
    site.play("remove", *words).fails_only()
    site.hosts["ordinary"].shell("test ! -e /usr/bin/bakeoff")
