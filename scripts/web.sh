#!/usr/bin/env bash
# usage: scripts/web.sh      Bundles the charts of the report into web/dist, if anything changed.
set -euo pipefail
cd "$(dirname "$0")/../web"

if ! command -v npm >/dev/null 2>&1; then
    printf '%s\n' "The charts of the report are bundled with npm, which is not here." \
        "Install Node.js 18 or later (Debian: sudo apt-get install npm) and run this again." >&2
    exit 4
fi
# npm writes this file last, so it is older than the lock file exactly when something changed.
if [ ! node_modules/.package-lock.json -nt package-lock.json ]; then
    npm ci --no-audit --no-fund --loglevel=error
    touch node_modules/.package-lock.json
fi
stamp=dist/.built
if [ ! -e "$stamp" ] || [ -n "$(find . -path ./node_modules -prune -o -path ./dist -prune \
    -o -type f -newer "$stamp" -print -quit)" ]; then
    npm run --silent build
    touch "$stamp"
fi
