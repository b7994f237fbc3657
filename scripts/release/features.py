"""Checks with clippy that each crate that has optional parts compiles without them and with each
alone. All of them together are the default, which everything else compiles."""

import json

from tools import ROOT, ensure, run, show, start


def check():
    checked = 0
    metadata = run("cargo", "metadata", "--format-version", "1", "--no-deps", cwd=ROOT)
    for package in json.loads(metadata)["packages"]:
        features, name = package["features"], package["name"]
        if "default" not in features:
            continue
        own = [feature for feature in features if feature != "default"]
        is_all = len(features["default"]) == len(own)
        ensure(is_all, f"not every feature of {name} is default")
        for chosen in ["", *own]:
            words = f"clippy --quiet --package {name} --no-default-features --features".split()
            show("cargo", *words, chosen, "--", "-D", "warnings", cwd=ROOT)
            checked += 1
    ensure(checked, "no crate has optional parts")
    print(f"{checked} sets of features compile")


if __name__ == "__main__":
    start(check)
