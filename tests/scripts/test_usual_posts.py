"""Posted runs, with the program under test as their reader: `pytest tests/scripts`."""

import csv
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(Path(__file__).parent)]

import usual
import usual_page
import usual_posts
from pasted_line import line
from tools import TARGET, Failed, skip
from usual_posts import Collection, Program, Tables

TODAY = "2027-01-01"
# A card as there are many in a DDR50 slot.
CARD = {"randread": 1900.0, "randwrite": 120.0, "seqread": 44e6, "seqwrite": 19e6}


@pytest.fixture(scope="session")
def program() -> Program:
    path = TARGET / "debug/bakeoff"
    if not path.exists():
        why = f"there is no {path}: run cargo build"
        skip("posted runs", "the program", why)
        pytest.skip(why)
    return Program(path)


@pytest.fixture
def posts(program) -> Collection:
    return Collection(program, Tables.read(), TODAY)


def reasons(posts: Collection, text: str) -> tuple[int, list[str]]:
    taken, left_out = posts.take_all(text, "a-test")
    return taken, [why for (_, why), _ in sorted(left_out.items())]


def quoted(text: str) -> str:
    return "".join(f"> {text[at : at + 60]}\n" for at in range(0, len(text), 60))


def test_a_line_is_found_in_any_text(posts):
    of = [
        line(CARD | {"randread": 1900.0 + n}, run=f"1234567{n}", model=f"Card {n}")
        for n in range(4)
    ]
    text = (
        f"My card:\n\n```\n{of[0]}\n```\n{quoted(of[1])}\nand <pre>{of[2]}</pre> bakeoff1:… "
        f'{{"line": "{of[3]}", "x": 1}}\n'
    )
    assert reasons(posts, text) == (4, [])
    assert {row["drive"] for row in posts.rows} == {f"Card {n} 32 GB" for n in range(4)}
    assert len(posts.rows) == 16 and posts.rows[0]["link"] == "sd-ddr50"


def test_the_line_of_a_real_run_is_read_and_names_no_kind_of_storage(posts):
    taken, why = reasons(posts, (ROOT / "fixtures/pasted/quick.md").read_text())
    assert taken == 0 and "the kind of storage is not in the line" in why[0]


def test_damaged_lines_and_lines_of_later_versions_are_named(posts):
    good = line(CARD)
    broken = good[:60] + ("A" if good[60] != "A" else "B") + good[61:]
    later = good.replace("bakeoff1:", "bakeoff2:")
    for text, why in [
        (broken, "checksum"),
        (good[:80], "cut off"),
        (later, "version 2"),
        (line(CARD, version="99.0.0"), "later than"),
        (line(CARD, version="nightly"), "no version"),
        (line(CARD, day=65_000), "dated 2147"),
        (line(CARD, day=1000), "dated 1972"),
    ]:
        taken, said = reasons(posts, text)
        assert taken == 0 and len(said) == 1 and why in said[0], (why, said)
    assert not posts.rows


@pytest.mark.parametrize(
    ("figures", "why"),
    [
        (CARD | {"seqread": 60e6}, "60 MB/s over a link that carries 50 MB/s"),
        (CARD | {"randread": 40_000.0}, "over a link that carries"),
        (CARD | {"randread": 11_500.0}, "random reads are faster than sequential ones"),
        (CARD | {"seqwrite": 1e4}, "more than 10 times slower than the slowest sd"),
        (CARD | {"randwrite": 12_100.0}, "more than 10 times faster than the fastest sd"),
        (CARD | {"seqread": 2e12}, "cannot be the result of a run"),
    ],
)
def test_absurd_figures_leave_out_the_whole_run(posts, figures, why):
    taken, said = reasons(posts, line(figures))
    assert taken == 0 and why in said[0], said
    assert not posts.rows and not posts.posts


def test_figures_that_do_not_count_are_left_out_alone(posts):
    text = line(CARD | {"randrw": 500.0}, forbidden={"seqread"})
    taken, said = reasons(posts, text)
    assert taken == 1 and [row["test"] for row in posts.rows] == [
        "randread",
        "randwrite",
        "seqwrite",
    ]
    assert any("forbids" in why for why in said) and any("four workloads" in why for why in said)


def test_other_storage_and_single_measurements_do_not_count(posts):
    for of, why in [
        (line(CARD, medium="loop", link=""), "which is not a drive"),
        (line(CARD, medium=None), "not in the line"),
        (line(CARD, medium="holographic"), "not in the line"),
        (line(CARD, blocks=2), "measured 2 times"),
        (line(CARD, error=0.9), "spans more than a factor of 10"),
    ]:
        taken, said = reasons(posts, of)
        assert taken == 0 and why in said[0], said


def test_a_run_that_is_posted_a_thousand_times_counts_once(posts):
    taken, left_out = posts.take_all(f"{line(CARD)}\n" * 1000, "a-test")
    assert (taken, left_out.total(), len(posts.rows)) == (1, 999, 4)
    assert left_out == {(2, "run 12345678 again"): 999}


def test_copies_under_other_ids_and_changed_runs_are_named(posts):
    assert reasons(posts, line(CARD))[0] == 1
    taken, why = reasons(posts, line(CARD, run="aaaaaaaa"))
    assert taken == 0 and why == ["has the figures of run 12345678 under another ID"]
    taken, why = reasons(posts, line(CARD | {"randread": 2000.0}))
    assert taken == 0 and why == ["run 12345678 again, with other figures"]


def test_a_flood_of_invented_runs_is_bounded(posts):
    flood = (line(CARD | {"randread": 1500.0 + n}, run=f"{n + 1:08x}") for n in range(60))
    taken, left_out = posts.take_all("\n".join(flood), "a-test")
    assert taken == usual_posts.MOST_RUNS and left_out.total() == 40
    found = {row["figure"]: row["n"] for row in usual_posts.summary(posts.rows)}
    text = f"{line(CARD)[:60]}\n" * 5000
    assert posts.take_all(text, "a-test")[1].total() == 5000
    assert found["randread"] == 1, "one model is one drive, however often it is posted"


def test_eight_drives_have_tenths_and_seven_have_none(posts):
    for n in range(8):
        of = CARD | {"randread": 1000.0 + 100 * n}
        if n == 7:
            del of["seqwrite"]
        posts.take_all(line(of, run=f"{n + 1:08x}", model=f"Card {n}"), f"post-{n % 3}")
    found = {row["figure"]: row for row in usual_posts.summary(posts.rows)}
    reads, writes = found["randread"], found["seqwrite"]
    assert (reads["n"], reads["p0"], reads["p50"], reads["p100"]) == (8, "1000", "1350", "1700")
    assert (writes["n"], writes["p50"]) == (7, "")
    assert reads["sources"] == "post-0; post-1; post-2"
    one_post = [row | {"source": "post-0"} for row in posts.rows]
    assert not any(row["p50"] for row in usual_posts.summary(one_post))


def test_posted_rows_are_read_as_one_more_file_of_published_figures(posts, tmp_path):
    for n in range(8):
        of = CARD | {"randwrite": 100.0 + n}
        posts.take_all(line(of, run=f"{n + 1:08x}", model=f"Card {n}"), f"post-{n % 3}")
    rows = tmp_path / "rows.csv"
    rows.write_text(usual_posts.files(posts)["rows.csv"])
    found = {tuple(row[:4]): row[4:15] for row in usual.table([rows])}
    assert found["sd", "sd-ddr50", "randwrite", "8"][5] == "103.5"
    assert found["sd", "sd-ddr50", "seqread", "8"][0].startswith("44")


def test_names_are_no_formulas_and_no_markup(posts, tmp_path):
    hostile = "<script>alert(1)</script>"
    text = line(CARD, model=hostile, board='=HYPERLINK("x")')
    assert reasons(posts, text) == (1, [])
    made = usual_posts.files(posts)
    rows = list(csv.DictReader(made["rows.csv"].splitlines()))
    assert rows[0]["board"] == '\'=HYPERLINK("x")' and hostile in rows[0]["device_model"]
    page = made["index.html"]
    assert "<script" not in page and "&lt;script&gt;alert(1)" in page
    assert '"x")"' not in page and not re.search(r"(src|href)=\"?(https?:)?//", page)


class Balanced(HTMLParser):
    """Whether every element of a page is closed where it has to be."""

    VOID = {"meta", "br", "line", "rect", "circle"}

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.open.pop() == tag


def test_a_page_has_each_figure_in_words_and_is_well_formed(posts):
    for n in range(3):
        of = CARD | {"randread": 1900.0 + n}
        of = line(of, run=f"0000000{n + 1}", model=f"Card {n}", board=f"Board {n} Rev 1.{n}")
        posts.take_all(of, "a-test")
    page = usual_page.page(posts.rows)
    checker = Balanced()
    checker.feed(page)
    assert not checker.open
    assert "posted: Card 0 32 GB, Board 0: 1,900/s (1 run)" in page
    assert "drives published: slowest" in page and 'aria-label="' in page


def test_what_is_stored_is_checked_again(posts, program, tmp_path):
    source = tmp_path / "post.md"
    source.write_text(line(CARD))
    folder = tmp_path / "usual"
    words = ["--folder", str(folder), "--program", str(program.path)]
    usual_posts.main([*words, str(source)])
    usual_posts.main([*words, "--check"])
    rows = folder / "rows.csv"
    rows.write_text(rows.read_text().replace(",12,", ",99,"))
    with pytest.raises(Failed, match="1 things to fix"):
        usual_posts.main([*words, "--check"])
    (folder / "posts.txt").write_text("bakeoff1:AAAA forged\n")
    with pytest.raises(Failed):
        usual_posts.main(words)


def test_the_page_in_the_repository_is_that_of_its_posts(program):
    usual_posts.main(["--check", "--program", str(program.path)])
