"""What counts of published figures, and how the table is made: `pytest tests/scripts`."""

import csv
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

import usual

CARD = {
    "device_class": "microsd",
    "device_model": "Card A",
    "board": "Board",
    "link": "sd-ddr50",
    "tool_params": "iodepth=1; direct=1",
    "figure_name": "rand_read_4k_iops",
    "si_value": "1000",
    "si_unit": "1/s",
    "cached_suspect": "no",
    "source": "https://example.org/a/page",
    "note": "",
}


def table(tmp_path, rows):
    file = tmp_path / "figures.csv"
    with open(file, "w", newline="") as out:
        writer = csv.DictWriter(out, list(CARD))
        writer.writeheader()
        writer.writerows({**CARD, **row} for row in rows)
    return list(usual.table([file]))


def cards(number, **more):
    return [
        {"device_model": f"Card {at}", "si_value": str(1000 + 100 * at), **more}
        for at in range(number)
    ]


def test_a_drive_counts_once_with_the_median_of_its_figures(tmp_path):
    again = [{"device_model": "Card 0", "si_value": value} for value in ("1", "9000")]
    [of_all, of_link] = table(tmp_path, cards(11) + again)
    assert of_all[:4] == ["sd", "", "randread", "11"]
    assert of_link[:4] == ["sd", "sd-ddr50", "randread", "11"]
    assert of_link[4:15] == [str(1000 + 100 * at) for at in range(11)]
    assert of_link[15] == "example.org"


@pytest.mark.parametrize(
    "more",
    [
        {"cached_suspect": "yes"},
        {"figure_name": "rand_read_4k_qdx_iops"},
        {"tool_params": "direct not stated"},
        {"note": "command queueing ON"},
        {"link": "sd overclocked to 83 MHz"},
        {"device_class": "virtual"},
    ],
)
def test_what_is_not_comparable_does_not_count(tmp_path, more):
    assert table(tmp_path, cards(8, **more)) == []
    assert table(tmp_path, cards(7) + [{"device_model": "Card 8", **more}]) == []


def test_seven_are_too_few_and_depths_stay_apart(tmp_path):
    assert table(tmp_path, cards(7)) == []
    deep = cards(8, figure_name="rand_read_4k_qd64_iops")
    assert [row[2] for row in table(tmp_path, deep)] == ["rand_read_4k_qd64_iops"]


def test_cards_on_boards_that_clock_them_down_count_for_random_reads_only(tmp_path):
    slow = {"link": "sd-sdr104 (clock limited, about 66 MB/s)"}
    rate = {"figure_name": "seq_read_mb_s", "si_unit": "MB/s"}
    assert table(tmp_path, cards(8, **slow, **rate)) == []
    assert [row[1] for row in table(tmp_path, cards(8, **slow))] == ["", "sd-sdr104"]


def test_the_table_of_the_repository_is_sound():
    assert list(usual.problems()) == []


def test_what_is_wrong_with_a_table_is_told(tmp_path, monkeypatch):
    rows = ["sd,sd-ddr50,randread,7,1,2,3,4,5,6,7,8,9,8,11,a; a", "moon,sd-x,y,9" + ",1" * 11 + ","]
    (tmp_path / "t.csv").write_text("\n".join([",".join(usual.HEAD), *rows]))
    monkeypatch.setattr(usual, "TABLE", tmp_path / "t.csv")
    assert list(usual.problems()) == [
        "line 2: fewer than 8 drives",
        "line 2: tenths that fall",
        "line 2: no sources, or one twice",
        "line 3: an unknown medium",
        "line 3: an unknown link",
        "line 3: no sources, or one twice",
    ]
