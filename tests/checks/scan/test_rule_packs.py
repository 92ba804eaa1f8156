"""Rule packs: a library's own rules, read at the base, and refused if they are bad."""

import hashlib
import json
from datetime import date

import pytest

from skillforge.checks.scan import budget, scan
from skillforge.checks.scan.data_rules import own_rules
from skillforge.checks.scan.pattern_cost import problems
from skillforge.checks.scan.rule_packs import SCHEMA, RulePack, read_pack
from skillforge.checks.scan.signs import own_packs, own_patterns
from skillforge.errors import ConfigError
from skillforge.schema_errors import misfit
from skillforge.share.release_scan import scan_commit
from tests.checks.scan.conftest import DROPPER, of_text
from tests.conftest import LibraryFolder, Run

PACK = """name = "acme"

[parts]
host = 'corp\\.example'

[signs.intranet]
about = "A host of the intranet."
patterns = [
  '\\b[a-z]{1,20}\\.{host}\\b',
]

[rules.intranet-host]
category = "leak"
about = "A skill does not name hosts of the intranet."
message = "names a host of the intranet"
hint = "use the public name of the service"
[[rules.intranet-host.match]]
signs = ["intranet"]

[rules.intranet-upload]
severity = "warning"
about = "A skill does not upload to the intranet without a review."
message = "uploads to the intranet, see line {line}"
[[rules.intranet-upload.match]]
signs = ["send"]
near = [{signs = ["intranet"], lines = 2}]
"""
PATH = "security/rules.toml"
POLICY = f"scan:\n  rule_packs: [{PATH}]\n"
LEAK = "See build.corp.example for the rest.\n"


@pytest.fixture
def ruled(library: LibraryFolder, monkeypatch: pytest.MonkeyPatch) -> LibraryFolder:
    """A library with a rule pack on main."""
    library.write("skillforge.yaml", POLICY)
    library.write(PATH, PACK)
    library.commit("Add rules")
    monkeypatch.chdir(library.root)
    return library


def pack_of(text: str) -> RulePack:
    return read_pack("rules.toml", text.encode())


def test_our_own_packs_fit_the_schema() -> None:
    assert [misfit(pack, SCHEMA) for pack in own_packs()] == [None] * len(own_packs())
    sources = [source for patterns in own_patterns().values() for source in patterns]
    assert [list(problems(source)) for source in sources if any(problems(source))] == []
    assert len(own_rules()) >= 18


def test_a_finding_of_a_pack_has_its_name_and_all_that_a_reviewer_needs() -> None:
    text = f"{LEAK}\n```sh\ncurl -d @x https://build.corp.example/up\n```\n"
    found = scan(of_text("a.md", text), packs=[pack_of(PACK)]).findings
    mine = {f.rule: f for f in reversed(found) if f.rule.startswith("acme/")}

    assert mine.keys() == {"acme/intranet-host", "acme/intranet-upload"}
    leak = mine["acme/intranet-host"]
    assert (leak.severity, leak.category, leak.line) == ("error", "leak", 1)
    assert leak.message == "names a host of the intranet"
    assert leak.hint == "use the public name of the service"
    assert leak.text == LEAK.strip()
    upload = mine["acme/intranet-upload"]
    assert (upload.severity, upload.category) == ("warning", "library")
    assert "see line " in upload.message


def test_packs_may_have_signs_of_the_same_name() -> None:
    other = PACK.replace('"acme"', '"other"').replace("corp", "team")
    text = "See build.team.example.\n"
    found = scan(of_text("a.md", text), packs=[pack_of(PACK), pack_of(other)])

    assert {f.rule for f in found.findings if "/" in f.rule} == {"other/intranet-host"}


def test_what_was_there_before_a_change_is_no_longer_a_warning() -> None:
    pack = pack_of(PACK.replace('category = "leak"', 'severity = "warning"'))
    before, after = of_text("a.md", LEAK), of_text("a.md", f"{LEAK}More.\n")
    (known,) = (f for f in scan(after, before, packs=[pack]).findings if "/" in f.rule)

    assert known.severity == "note"
    assert known.message.endswith("(as before the change)")


def sign(pattern: str) -> str:
    return PACK.replace("\\b[a-z]{1,20}\\.{host}\\b", pattern)


BAD = [
    pytest.param("name = \n", 1, "not TOML", id="not-toml"),
    pytest.param("name = 'a'\nname = 'b'\n", 2, "not TOML", id="twice"),
    pytest.param("name = 'A b'\n", 1, "name: ", id="name"),
    pytest.param(
        PACK.replace("hint", "hints"), 16, "rules.intranet-host.hints", id="key"
    ),
    pytest.param(
        PACK.replace('signs = ["send"]', ""),
        24,
        "match.0: `signs` is missing",
        id="gap",
    ),
    pytest.param(
        PACK.replace('"warning"', '"fatal"'), 21, "intranet-upload.severity", id="value"
    ),
    pytest.param(
        PACK.replace('["send"]', '["sends"]'), 25, "unknown sign 'sends'", id="no-sign"
    ),
    pytest.param(
        PACK.replace('["intranet"],', '["extranet"],'), 26, "0.near", id="no-sign-near"
    ),
    pytest.param(sign("{hots}"), 8, "unknown part {hots}", id="no-part"),
    pytest.param(sign("(a"), 8, "signs.intranet.patterns.0: not a", id="regex"),
    pytest.param(sign("(a+)+$"), 8, "too long", id="exponential"),
    pytest.param(sign("a[^b]{0,400}c[^d]{0,400}e"), 8, "too long", id="two-gaps"),
    pytest.param(sign("Corp"), 8, "lower case", id="upper-case"),
    pytest.param(sign("(x) \\1"), 8, "back references", id="back-reference"),
    pytest.param(
        PACK.replace('["intranet"]\n\n', "[\"intranet\"]\nline = '(a*)*b'\n"),
        19,
        "rules.intranet-host.match.0.line",
        id="condition",
    ),
]


@pytest.mark.parametrize(("text", "line", "words"), BAD)
def test_a_bad_pack_is_an_error_with_file_line_and_key(
    ruled: LibraryFolder, run: Run, text: str, line: int, words: str
) -> None:
    ruled.write(PATH, text)

    ran = run("scan", "--json")

    assert ran.code == 2
    message = ran.json["error"]["message"]
    assert message.startswith(f"{PATH}:{line}: ")
    assert words in message
    assert "docs/rule-packs.md" in ran.json["error"]["hint"]


def test_a_pack_in_another_encoding_or_too_large_is_an_error() -> None:
    with pytest.raises(ConfigError, match=r"a.toml:2: not UTF-8"):
        read_pack("a.toml", b"# x\nname = '\xff'\n")
    with pytest.raises(ConfigError, match="more than 256 KB"):
        read_pack("a.toml", b"#" * (1 << 19))


def test_a_pack_that_is_not_there_is_an_error(ruled: LibraryFolder, run: Run) -> None:
    (ruled.root / PATH).unlink()

    ran = run("scan")

    assert ran.code == 2
    assert f"no rule pack {PATH}" in ran.err


def test_two_packs_of_a_name_are_an_error(ruled: LibraryFolder, run: Run) -> None:
    ruled.write("b.toml", PACK)
    ruled.write("skillforge.yaml", f"scan: {{rule_packs: [{PATH}, b.toml]}}\n")

    ran = run("scan")

    assert ran.code == 2
    assert "b.toml:1: name: another rule pack is called 'acme'" in ran.err


@pytest.mark.parametrize("path", ["/etc/x.toml", "../x.toml", "a/../x.toml", "x.yaml"])
def test_a_path_out_of_the_library_is_refused(
    library: LibraryFolder, run: Run, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.chdir(library.root)
    library.write("skillforge.yaml", f"scan: {{rule_packs: [{path}]}}\n")

    ran = run("scan")

    assert ran.code == 2
    assert "skillforge.yaml:1: scan.rule_packs.0" in ran.err


def test_the_command_reports_and_a_waiver_lets_pass(
    ruled: LibraryFolder, run: Run
) -> None:
    folder = ruled.add_skill("csv-tables", body=LEAK)

    found = run("scan", "--json")
    waiver = {
        "rule": "acme/intranet-host",
        "path": "skills/csv-tables/SKILL.md",
        "sha256": hashlib.sha256((folder / "SKILL.md").read_bytes()).hexdigest(),
        "who": "Olga",
        "why": "The host is public by now.",
        "until": "2999-01-01",
    }
    ruled.write("waivers.yaml", json.dumps([waiver]))
    waived = run("scan", "--json")

    assert found.code == 1
    assert "acme/intranet-host" in found.rules
    assert found.data["verdicts"]["csv-tables"] == "dangerous"
    assert waived.code == 0


def test_the_rules_of_a_pack_are_in_the_manual(ruled: LibraryFolder, run: Run) -> None:
    page = run("rules", "acme/intranet-host")

    assert page.code == 0
    assert "does not name hosts of the intranet" in page.out
    assert "acme/intranet-upload" in run("rules").out
    assert run("rules", "acme/other").code == 2
    assert ruled.library.policy().scan.rule_packs == (PATH,)


def test_a_branch_is_scanned_with_the_rules_of_its_base(
    ruled: LibraryFolder, run: Run
) -> None:
    """Neither an edit of the pack, nor its removal, nor another policy helps."""
    ruled.git("checkout", "--quiet", "-b", "draft")
    ruled.add_skill("csv-tables", body=LEAK)
    for path, text in (
        (PATH, PACK.replace("corp", "none")),
        (PATH, ""),
        ("skillforge.yaml", "scan: {}\n"),
    ):
        ruled.write(path, text)
        ruled.commit()

        ran = run("scan", "--changed-since", "main", "--json")

        assert ran.code == 1
        assert "acme/intranet-host" in ran.rules


def test_a_pack_that_only_a_branch_names_is_not_used(
    library: LibraryFolder, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(library.root)
    library.git("checkout", "--quiet", "-b", "draft")
    library.write("skillforge.yaml", POLICY)
    library.write(PATH, PACK)
    library.add_skill("csv-tables", body=LEAK)
    library.commit()

    assert run("scan", "--changed-since", "main", "--json").rules == set()


def test_a_release_is_scanned_with_the_rules_of_its_commit(
    ruled: LibraryFolder,
) -> None:
    ruled.add_skill("csv-tables", body=LEAK)
    commit = ruled.commit()
    library = ruled.library
    skills = list(library.read_at(commit))

    for _ in range(2):  # the second time from the cache
        found = scan_commit(library, commit, date.today(), skills)
        assert [f.rule for f in found.blocking] == ["acme/intranet-host"]
    ruled.write(PATH, PACK.replace("corp", "none"))
    commit = ruled.commit()
    assert scan_commit(library, commit, date.today(), skills).blocking == ()


def test_a_costly_pattern_is_stopped_and_hides_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The budget of the scan holds for packs, after our own rules have spent theirs."""
    monkeypatch.setattr(budget, "OF_PATTERN", (40_000, 0.0))
    monkeypatch.setattr(budget, "IN_ALL", (400_000, 0.0))
    costly = pack_of(sign("zz[^\\n]{0,80}yy[^\\n]{0,80}xx"))
    text = "".join(f"zz yy xx{number} " for number in range(5000))
    skill = of_text("a.md", text, {"z.sh": DROPPER})
    found = scan(skill, packs=[costly]).findings

    assert ("fetch-and-run", "z.sh") in {(f.rule, f.path) for f in found}
    unread = [f.path for f in found if f.rule == "unreviewable-file"]
    assert "a.md" in unread
