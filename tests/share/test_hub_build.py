"""`skillforge build`: a hub from a tag, the same bytes for everybody."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import pytest

from skillforge.share.hub_formats import read_sums
from tests.propose.conftest import Loop


def built(loop: Loop, out: Path, *options: str) -> dict[str, Any]:
    return loop.ok("build", "v1.0.0", "--out", out, *options)


def files(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {
        path.relative_to(folder).as_posix(): (
            path.stat().st_mode & 0o777,
            path.read_bytes(),
        )
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def read(out: Path, name: str) -> Any:
    return json.loads((out / name).read_bytes())


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "public"


def test_a_hub_has_all_formats(released: Loop, out: Path) -> None:
    data = built(released, out)

    hub_files = files(out)
    assert data["skills"] == 3
    assert {path for path in hub_files if "csv" in path} == {
        ".well-known/agent-skills/csv-tables.tar.gz",
        ".well-known/skills/csv-tables/SKILL.md",
        ".well-known/skills/csv-tables/scripts/read.py",
        "packages/csv-tables.skill",
        "skills/csv-tables/index.html",
    }
    assert ".well-known/agent-skills/pdf-tables/SKILL.md" in hub_files
    assert not any(b"secret-plan" in data for _, data in hub_files.values())
    sums = read_sums(hub_files["SHA256SUMS"][1])
    assert set(sums) == set(hub_files) - {"SHA256SUMS"}
    assert all(
        hashlib.sha256(hub_files[path][1]).hexdigest() == digest
        for path, digest in sums.items()
    )


def test_the_index_names_existing_files(released: Loop, out: Path) -> None:
    built(released, out)

    index = read(out, ".well-known/agent-skills/index.json")
    for entry in index["skills"]:
        data = (out / ".well-known/agent-skills" / entry["url"]).read_bytes()
        assert entry["digest"] == f"sha256:{hashlib.sha256(data).hexdigest()}"
    kinds = {entry["name"]: entry["type"] for entry in index["skills"]}
    assert kinds["csv-tables"] == "archive"
    assert kinds["pdf-tables"] == "skill-md"
    legacy = read(out, ".well-known/skills/index.json")["skills"]
    listed = {entry["name"]: entry["files"] for entry in legacy}
    assert listed["csv-tables"] == ["SKILL.md", "scripts/read.py"]
    for name, paths in listed.items():
        assert all(
            (out / ".well-known/skills" / name / entry).is_file() for entry in paths
        )


def test_the_manifest_has_the_provenance_of_a_skill(released: Loop, out: Path) -> None:
    released.folder.git("tag", "--delete", "v1.0.0")
    released.ok("release", "1.0.0")

    built(released, out)

    manifest = read(out, "manifest.json")
    skills = {skill["name"]: skill for skill in manifest["skills"]}
    csv, xlsx = skills["csv-tables"], skills["xlsx-tables"]
    assert csv["tree"] == released.tree("csv-tables")
    assert (csv["version"], csv["scan"], csv["tests"]) == ("1.2.0", "safe", "not-run")
    assert (csv["examples"], csv["group"]) == (1, "Data")
    made_of = hashlib.sha256()
    for path in ("SKILL.md", "scripts/read.py"):
        data = (out / ".well-known/skills/csv-tables" / path).read_bytes()
        made_of.update(f"{path}\0".encode() + data)
    assert csv["hermes_hash"] == f"sha256:{made_of.hexdigest()[:16]}"
    assert xlsx["approvers"] == ["Rita Reviewer"]
    [version] = xlsx["provenance"]
    assert version["proposal"] == 1
    assert version["commit"] == released.main()
    assert "example.invalid" not in (out / "manifest.json").read_text()


@pytest.mark.needs_sandbox
def test_cases_that_the_gate_ran_have_passed(released: Loop, out: Path) -> None:
    """From the record of the merge: a build runs nothing."""
    released.policy("checks: [validate, test]\n")
    draft = released.draft(released.folder.root.parent, "odt-tables", "four")
    (draft / "tests").mkdir()
    (draft / "tests/ok.yaml").write_text("run: ['true']\nexpect: {exit: 0}\n")
    number = released.ok("propose", draft)["proposal"]
    released.approve(number)
    released.promote(number)
    released.folder.git("tag", "v1.1.0")

    released.ok("build", "v1.1.0", "--out", out)

    skills = {entry["name"]: entry for entry in read(out, "manifest.json")["skills"]}
    assert skills["odt-tables"]["tests"] == "passed"
    assert skills["csv-tables"]["tests"] == "not-run"
    assert skills["xlsx-tables"]["tests"] == ""


def test_the_same_tag_gives_the_same_bytes(
    released: Loop, out: Path, tmp_path: Path
) -> None:
    """Whatever the clone, the clock, the umask, the locale and the checkout."""
    built(released, out)
    other = tmp_path / "elsewhere/clone.git"
    line = ["git", "clone", "--quiet", "--bare", str(released.folder.root), str(other)]
    subprocess.run(line, check=True)
    (other / "info").mkdir(exist_ok=True)
    (other / "info/attributes").write_text("*.md diff=other -text\n")
    command = [sys.executable, "-m", "skillforge", "build", "v1.0.0", "--out"]
    shell = f"umask 077; exec {' '.join(command)} {tmp_path / 'second'}"
    env = {**os.environ, "TZ": "Pacific/Apia", "LC_ALL": "C", "PYTHONHASHSEED": "7"}
    subprocess.run(["sh", "-c", shell], cwd=other, env=env, check=True)

    assert files(tmp_path / "second") == files(out)


def test_a_dirty_checkout_has_no_part_in_it(released: Loop, out: Path) -> None:
    released.folder.write("skills/csv-tables/SKILL.md", "unsaved")
    released.folder.write("skills/csv-tables/new.txt", "unsaved")

    built(released, out)

    assert b"unsaved" not in b"".join(data for _, data in files(out).values())


def test_a_second_run_is_harmless(released: Loop, out: Path) -> None:
    first = built(released, out)
    before = files(out)

    assert built(released, out) == first
    assert files(out) == before
    assert [path.name for path in out.parent.glob(".*skillforge*")] == []


def test_a_folder_with_other_files_is_not_overwritten(
    released: Loop, out: Path
) -> None:
    out.mkdir()
    (out / "thesis.txt").write_text("years of work")

    ran = released("build", "v1.0.0", "--out", str(out))

    assert ran.code == 4
    assert [path.name for path in out.iterdir()] == ["thesis.txt"]
    (out / "thesis.txt").unlink()
    built(released, out)
    (out / "CNAME").write_text("skills.example.org")
    assert released("build", "v1.0.0", "--out", str(out)).code == 4
    assert (out / "CNAME").is_file()


SECRET = "ghp_A8fK2mQ9xZ4vB7nL1cR6tY3wE5uH0jS2dG8p"


@pytest.mark.parametrize(
    "written",
    [
        pytest.param(f"token: {SECRET}", id="plain"),
        pytest.param(f"\x1b[31m{SECRET[:9]}\x1b[m{SECRET[9:]}", id="coloured"),
        pytest.param(f"see {SECRET[:20]}\n{SECRET[20:]}\nend", id="wrapped"),
        pytest.param(f"{SECRET[:20]}\u200b{SECRET[20:]}", id="zero-width"),
        pytest.param(f"user ada pass {SECRET[4:16]}", id="sentence"),
    ],
)
def test_a_leak_stops_it(released: Loop, out: Path, written: str) -> None:
    secret = SECRET[4:16]
    released.folder.write("skills/csv-tables/notes.md", f"{written}\n")
    released.folder.commit("By hand")
    released.folder.git("tag", "v1.1.0")

    ran = released("build", "v1.1.0", "--out", str(out), "--json")

    assert ran.code == 1
    assert ran.data["findings"][0]["path"] == "skills/csv-tables/notes.md"
    assert secret not in ran.out + ran.err
    assert not out.exists()


def test_names_that_the_policy_calls_private_stop_it(released: Loop, out: Path) -> None:
    policy = "checks: [validate]\nredact:\n  names: [Project Heron]\n"
    released.folder.write("skillforge.yaml", policy)
    released.folder.write("skills/csv-tables/notes.md", "As in project heron.\n")
    released.folder.commit("By hand")
    released.folder.git("tag", "v1.1.0")

    ran = released("build", "v1.1.0", "--out", str(out), "--json")

    assert ran.code == 1
    assert ran.rules == {"private-data"}


def test_history_is_published_without_private_data(released: Loop, out: Path) -> None:
    folder = released.draft(released.folder.root.parent, "xlsx-tables", "three")
    why = (
        "Asked for by jo@corp.example.net, see https://jo:pw12345@host.example.net/x "
        f"or &#103;{SECRET[1:]}"
    )
    number = released.ok("propose", folder, "--why", why)["proposal"]
    released.approve(number)
    released.promote(number)
    released.folder.git("tag", "v1.1.0")

    released.ok("build", "v1.1.0", "--out", out)

    text = b"".join(data for _, data in files(out).values())
    assert b"Asked for by <EMAIL>" in text
    assert b"pw12345" not in text
    assert SECRET[1:].encode() not in text


def test_the_feed_has_the_dates_of_commits(released: Loop, out: Path) -> None:
    built(released, out, "--url", "https://skills.example.org/hub")

    feed = Xml.parse(out / "index.xml").getroot()
    atom = {"a": "http://www.w3.org/2005/Atom"}
    entries = feed.findall("a:entry", atom)
    assert len(entries) == 3
    when = released.folder.git("show", "-s", "--format=%cd", "--date=format:%Y", "main")
    assert entries[0].findtext("a:updated", "", atom).startswith(when.strip())
    link = entries[0].find("a:link", atom)
    assert link is not None
    assert link.get("href", "").startswith("https://skills.example.org/hub/skills/")


def test_the_statement_vouches_for_every_file(released: Loop, out: Path) -> None:
    built(released, out)

    statement = read(out, "provenance.intoto.json")
    assert statement["predicateType"] == "https://slsa.dev/provenance/v1"
    for subject in statement["subject"]:
        data = (out / subject["name"]).read_bytes()
        assert subject["digest"]["sha256"] == hashlib.sha256(data).hexdigest()
    source = statement["predicate"]["buildDefinition"]["resolvedDependencies"][0]
    assert source["digest"]["gitCommit"] == released.main()


def test_a_marketplace_of_plugins_that_are_there(released: Loop, out: Path) -> None:
    built(released, out, "--title", "Anthropic skills of ACME, Inc.")

    market = read(out, ".claude-plugin/marketplace.json")
    assert market["name"] == "skills-of-acme-inc"
    for plugin in market["plugins"]:
        assert (out / plugin["source"] / "SKILL.md").is_file()
    groups = read(out, "skills.sh.json")["groupings"]
    assert groups == [{"title": "Data", "skills": ["csv-tables"]}]


def test_skills_that_no_client_can_install_are_skipped(
    released: Loop, out: Path
) -> None:
    released.folder.write("skills/broken/SKILL.md", "no frontmatter")
    released.folder.write("skills/empty/notes.txt", "nothing")
    released.folder.commit("By hand")
    released.folder.git("tag", "v1.1.0")

    data = released.ok("build", "v1.1.0", "--out", out)

    assert set(data["left_out"]) == {"broken", "empty"}
    assert data["skills"] == 3


def test_a_name_that_old_clients_refuse_costs_no_other(
    released: Loop, out: Path
) -> None:
    """They refuse all of an index for one entry that they do not like."""
    for name, file in (("навык", "a.md"), ("dots", "a..b.md")):
        released.folder.add_skill(name)
        released.folder.write(f"skills/{name}/{file}", "text\n")
    released.folder.commit("By hand")
    released.folder.git("tag", "v1.1.0")

    released.ok("build", "v1.1.0", "--out", out)

    legacy = read(out, ".well-known/skills/index.json")["skills"]
    index = read(out, ".well-known/agent-skills/index.json")["skills"]
    assert {"навык", "dots"}.isdisjoint(entry["name"] for entry in legacy)
    assert "dots" in {entry["name"] for entry in index}
    assert "навык" in {entry["name"] for entry in read(out, "manifest.json")["skills"]}


def test_a_link_inside_a_skill_becomes_a_copy(released: Loop, out: Path) -> None:
    (released.folder.root / "skills/csv-tables/again.py").symlink_to("scripts/read.py")
    released.folder.commit("By hand")
    released.folder.git("tag", "v1.1.0")

    released.ok("build", "v1.1.0", "--out", out)

    copy = out / ".well-known/skills/csv-tables/again.py"
    assert not copy.is_symlink()
    assert copy.read_text() == "print('done')\n"


def test_invalid_requests_are_refused(
    released: Loop, out: Path, tmp_path: Path
) -> None:
    assert released("build", "v9.9.9", "--out", str(out)).code == 2
    assert released("build", "main", "--out", str(out)).code == 2
    assert released("build", "--out", str(out), "--url", "ftp://x").code == 2
    (tmp_path / "file").write_text("")
    assert released("build", "--out", str(tmp_path / "file")).code == 2
    assert released("build", "--out", str(tmp_path / "file/x")).code == 3
    assert not out.exists()


def test_a_shallow_clone_cannot_tell_all(
    released: Loop, out: Path, tmp_path: Path
) -> None:
    clone, source = tmp_path / "shallow", f"file://{released.folder.root}"
    line = ["git", "clone", "--quiet", "--depth=1", "--branch=v1.0.0", source]
    subprocess.run([*line, str(clone)], check=True, capture_output=True)

    ran = released.run("build", "--library", str(clone), "v1.0.0", "--out", str(out))

    assert ran.code == 4
    assert "unshallow" in ran.err


def test_pages_are_cached_and_a_damaged_cache_is_harmless(
    released: Loop, tmp_path: Path
) -> None:
    first, second, third = (tmp_path / name for name in ("one", "two", "three"))
    built(released, first)
    built(released, second)
    cache = released.folder.root / ".git" / "skillforge" / "cache.db"
    cache.write_bytes(b"this is no database")
    built(released, third)

    assert files(first) == files(second) == files(third)
