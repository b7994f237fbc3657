"""The profile for Phoronix Test Suite in packaging/phoronix: `pytest tests/scripts`.

The suite is no dependency, and its schemas are under the GPL: what is checked here of them is
written down again, from `schemas/test-profile.xsd`, `results-parser.xsd` and `types.xsd` of version
10.8.5. They want elements in this order, each at most once where nothing else is said."""

import os
import re
import subprocess
import xml.etree.ElementTree as xml
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROFILE = ROOT / "packaging/phoronix"

ORDER = {
    "PhoronixTestSuite": "TestInformation TestProfile TestSettings",
    "TestInformation": (
        "Title AppVersion Description ResultScale Proportion ResultQuantifier DisplayFormat "
        "SubTitle Executable TimesToRun IgnoreRuns InstallationAgreement PreInstallMessage "
        "PostInstallMessage"
    ),
    "TestProfile": (
        "Version SupportedPlatforms SoftwareType TestType License Status SupportedArchitectures "
        "ExternalDependencies Extends RequiresRoot RequiresRootInstall RequiresDisplay "
        "RequiresNetwork InstallRequiresInternet RequiresInternet EnvironmentSize "
        "EnvironmentTestingSize EstimatedTimePerRun ProjectURL RepositoryURL "
        "RequiresCoreVersionMin RequiresCoreVersionMax InternalTags Maintainer "
        "AllowResultsSharing AutoSaveResults RemoveInstallDirectoryOnReinstall SystemDependencies"
    ),
    "TestSettings": "Default Option*",
    "Option": ("DisplayName Identifier ArgumentPrefix ArgumentPostfix DefaultEntry Message Menu"),
    "ResultsParser": (
        "OutputTemplate MatchToTestArguments ResultKey LineHint LineBeforeHint LineAfterHint "
        "ResultBeforeString ResultAfterString StripFromResult StripResultPostfix MultiMatch "
        "DivideResultBy DivideResultDivisor MultiplyResultBy ResultScale ResultProportion "
        "DisplayFormat ResultPrecision ArgumentsDescription AppendToArgumentsDescription "
        "FileFormat TurnCharsToSpace DeleteOutputBefore DeleteOutputAfter Importance"
    ),
}
TEXTS = {
    "Title": r".{2,50}",
    "Description": r".{0,2048}",
    "Proportion": "HIB|LIB",
    "ResultProportion": "HIB|LIB",
    "TimesToRun": r"[1-9]\d*",
    "Version": r"\d\.\d{1,2}\.\d{1,2}",
    "SoftwareType": "BaseTestProfile|Utility|Simulator|Scientific|Benchmark|Application|Game",
    "TestType": "System|Processor|Disk|Graphics|Memory|Network|OS|Other",
    "License": "Free|Non-Free|Retail|Restricted",
    "Status": "Verified|Unverified|Private|Broken|Experimental|Deprecated",
    "RequiresDisplay": "TRUE|FALSE",
    "RequiresNetwork": "TRUE|FALSE",
    "EnvironmentSize": r"\d+(\.\d+)?",
    "EnvironmentTestingSize": r"\d+(\.\d+)?",
    "EstimatedTimePerRun": r"[1-9]\d*",
    "DivideResultBy": r"[1-9]\d*",
    "OutputTemplate": r".*#_RESULT_#.*",
}


def problems(element: xml.Element, order: dict[str, str]) -> list[str]:
    """What the schema forbids in an element and those in it."""
    found = []
    if len(element):
        words = order[element.tag].split()
        names = [word.rstrip("*") for word in words]
        tags = [child.tag for child in element]
        found += [f"{tag} in {element.tag}" for tag in tags if tag not in names]
        places = [names.index(tag) for tag in tags if tag in names]
        if places != sorted(places):
            found.append(f"order in {element.tag}")
        found += [
            f"{tag} twice" for tag in set(tags) if tags.count(tag) > 1 and f"{tag}*" not in words
        ]
    elif not re.fullmatch(TEXTS.get(element.tag, ".+"), element.text or ""):
        found.append(f"{element.tag}: {element.text}")
    return found + [problem for child in element for problem in problems(child, order)]


def test_a_profile_is_as_the_suite_wants_it():
    definition = xml.parse(PROFILE / "test-definition.xml").getroot()
    assert not problems(definition, ORDER)
    results = xml.parse(PROFILE / "results-definition.xml").getroot()
    assert not problems(results, ORDER | {"PhoronixTestSuite": "ResultsParser*"})


def test_the_check_finds_what_the_schema_forbids():
    for text in [
        "<TestProfile><TestType>Disk</TestType><Version>1.0.0</Version></TestProfile>",
        "<TestProfile><Version>1</Version></TestProfile>",
        "<TestProfile><Version>1.0.0</Version><Version>1.0.0</Version></TestProfile>",
        "<TestProfile><Speed>1</Speed></TestProfile>",
    ]:
        assert problems(xml.fromstring(text), ORDER), text


def metric(name: str, workload: str, value: str) -> str:
    return (
        f'bakeoff_{name}_per_second{{candidate="/mnt/a \\"b\\"",workload="{workload}"}} {value}\n'
    )


METRICS = (
    "# TYPE bakeoff_operations_per_second gauge\n"
    + metric("throughput_bytes", "seqread", "43000000.5")
    + metric("throughput_bytes", "seqwrite", "19000000")
    + metric("throughput_bytes", "randread", "7782400")
    + metric("operations", "randread", "1900.25")
    + metric("operations", "randwrite", "120")
    + metric("operations", "seqread", "41")
    + metric("usual_low_bytes", "seqread", "8000000")
)


@pytest.mark.parametrize(("code", "ends"), [(0, "0"), (1, "0"), (3, "3")])
def test_the_four_figures_are_read(tmp_path, code, ends):
    program = tmp_path / "bin/bakeoff"
    program.parent.mkdir()
    (tmp_path / "metrics").write_text(METRICS if code < 3 else "")
    program.write_text(
        f'#!/bin/sh\necho "$@" > "{tmp_path}/words"\ncat "{tmp_path}/metrics"\nexit {code}\n'
    )
    program.chmod(0o755)
    log = tmp_path / "log"
    path = f"{program.parent}:{os.environ['PATH']}"
    env = {"HOME": str(tmp_path), "PATH": path, "LOG_FILE": str(log)}
    options = {"env": env, "cwd": tmp_path, "check": True, "capture_output": True}
    subprocess.run(["sh", PROFILE / "install.sh"], **options)
    assert (tmp_path / "install-exit-status").read_text() == "0\n"
    subprocess.run(["./bakeoff-quick", "/mnt/a b"], **options)
    assert (tmp_path / "test-exit-status").read_text().strip() == ends
    assert (tmp_path / "words").read_text().startswith("quick /mnt/a b --quiet --store ")
    if code < 3:
        expected = [("IOPS", 1900.25), ("IOPS", 120.0), ("MB/s", 43.0000005), ("MB/s", 19.0)]
        assert figures(log.read_text()) == expected
    else:
        assert not log.read_text()


def figures(log: str) -> list[tuple[str, float]]:
    """As the suite reads a log: the last line with the hint, and the word where the template has
    its key."""
    found = []
    for parser in xml.parse(PROFILE / "results-definition.xml").getroot():
        hint, template = parser.find("LineHint").text.strip(), parser.find("OutputTemplate").text
        line = [line for line in log.splitlines() if hint in line][-1]
        value = float(line.split()[template.split().index("#_RESULT_#")])
        by = parser.find("DivideResultBy")
        found.append(
            (parser.find("ResultScale").text, value / float(by.text if by is not None else 1))
        )
    return found


def test_the_metrics_that_it_reads_are_documented():
    script, page = (PROFILE / "install.sh").read_text(), (ROOT / "docs/monitoring.md").read_text()
    names = set(re.findall(r"bakeoff_\w+_per_second", script))
    assert len(names) == 2 and all(f"`{name}`" in page for name in names), names
