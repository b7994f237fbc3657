#!/usr/bin/env bash
# usage: scripts/recording.sh            (as root; takes about four minutes)
#
# Records a real demo in a terminal of 80 columns and makes docs/images/demo.svg from it: an
# animation without a script that shows three minutes in 12 s and then the answer for 8 s. Puts the
# answer into README.md as well. Run it on a quiet machine. Needs python3 with venv; asciinema and
# termtosvg-ng come from PyPI and stay in the target directory.
set -euo pipefail
cd "$(dirname "$0")/.."

TARGET=$(scripts/target.sh)
readonly PROGRAM=$TARGET/release/bakeoff WORK=$TARGET/recording IMAGES=$PWD/docs/images
readonly ASCIINEMA=2.4.0 TERMTOSVG=1.4.1 LIMIT_BYTES=300000

if [ ! -x "$PROGRAM" ]; then
    echo "There is no $PROGRAM: run make build first" >&2
    exit 4
fi
mkdir -p "$WORK"
if [ ! -x "$WORK/venv/bin/termtosvg-ng" ]; then
    python3 -m venv "$WORK/venv"
    "$WORK/venv/bin/pip" --quiet install "asciinema==$ASCIINEMA" "termtosvg-ng==$TERMTOSVG"
fi

# The demo leaves its report in the current directory, and the run in a store of its own.
scratch=$(mktemp --directory /var/tmp/recording.XXXXXX)
trap 'rm -rf "$scratch"' EXIT
ln -s "$PROGRAM" "$scratch/bakeoff"
cat >"$scratch/session" <<'END'
printf '$ '; sleep 0.5; printf 'sudo bakeoff demo\n'; sleep 0.5
./bakeoff demo
echo $? >code
END
mkdir "$scratch/data"
(cd "$scratch" && env XDG_DATA_HOME="$scratch/data" ASCIINEMA_CONFIG_HOME="$WORK" \
    TERM=xterm-256color "$WORK/venv/bin/asciinema" rec --overwrite --quiet --cols 80 --rows 30 \
    --command 'sh ./session' "$WORK/raw.cast")

if [ "$(cat "$scratch/code")" -gt 1 ]; then
    echo "The demo failed; see $WORK/raw.cast" >&2
    exit 1
fi

# 12 s of measuring, however long it took.
"$WORK/venv/bin/python" - "$WORK/raw.cast" "$WORK/demo.cast" README.md <<'END'
import json
import sys

import pyte

raw, fast, readme = sys.argv[1:]
lines = [json.loads(line) for line in open(raw, encoding="utf-8")]
header, events = lines[0], lines[1:]
factor = 12 / events[-1][0]
with open(fast, "w", encoding="utf-8") as out:
    print(json.dumps({key: header[key] for key in ("version", "width", "height")}), file=out)
    for at, kind, text in events:
        print(json.dumps([round(at * factor, 3), kind, text]), file=out)
# The answer is what follows the last progress line.
texts = [text for _, _, text in events]
last = max(index for index, text in enumerate(texts) if "\x1b[2K" in text)
screen = pyte.Screen(header["width"], header["height"])
pyte.Stream(screen).feed("$ sudo bakeoff demo\r\n" + "".join(texts[last + 1 :]))
answer = "\n".join(line.rstrip() for line in screen.display).strip("\n")
before, rest = open(readme, encoding="utf-8").read().split("<!-- answer -->\n```\n", 1)
after = rest.split("```\n", 1)[1]
with open(readme, "w", encoding="utf-8") as out:
    out.write(f"{before}<!-- answer -->\n```\n{answer}\n```\n{after}")
END
"$WORK/venv/bin/termtosvg-ng" render "$WORK/demo.cast" "$IMAGES/demo.svg" \
    --min-frame-duration 200 --loop-delay 8000 --template window_frame --theme ubuntu
size=$(stat --format %s "$IMAGES/demo.svg")
if [ "$size" -gt "$LIMIT_BYTES" ]; then
    echo "docs/images/demo.svg has $size bytes, more than $LIMIT_BYTES" >&2
    exit 1
fi
