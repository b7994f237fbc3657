#!/bin/sh
# Fetches Ansible from PyPI below cargo's directory, unless it is there: ansible-core alone, or
# with "lint" also ansible-lint.
set -eu
cd "$(dirname "$0")/.."
wanted="ansible-core==2.19.14"
[ "${1:-}" != lint ] || wanted="$wanted ansible-lint==26.10.1"
folder=$(scripts/target.sh)/fleet/packages
case " $(cat "$folder/fetched" 2>/dev/null) " in *" $wanted "*) exit ;; esac
mkdir -p "$folder"
# shellcheck disable=SC2086  # words
python3 -m pip install --quiet --disable-pip-version-check --only-binary=:all: --upgrade \
    --target "$folder" $wanted
echo "$wanted" >"$folder/fetched"
