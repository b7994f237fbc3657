#!/usr/bin/env bash
# usage: scripts/target.sh      Prints the directory for everything that is built: cargo's, which
# CARGO_TARGET_DIR and build.target-dir set. Root may have no cargo; then as the environment says.
set -euo pipefail
cd "$(dirname "$0")/.."
metadata=$(cargo metadata --no-deps --format-version 1 --offline 2>/dev/null) || metadata=''
found=$(sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p' <<<"$metadata")
printf '%s\n' "${found:-${CARGO_TARGET_DIR:-$PWD/target}}"
