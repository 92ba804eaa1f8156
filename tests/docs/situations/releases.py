"""Releases, hubs, and projects that install from them."""

from shutil import rmtree

from tests.docs.machine import Machine
from tests.docs.situations.proposals import a_remote
from tests.docs.situations.registry import (
    a_library,
    add_skill,
    land,
    page,
    situation,
)
from tests.share.hubs import serving

HUB = "https://skills.example.org"
XLSX = "Reads and joins sheets of XLSX files. Use when data comes as XLSX."


@situation("a library of 21 skills")
def a_library_of_21_skills(machine: Machine) -> None:
    verbs = {
        ("csv", "data"): "clean filter join merge sort split",
        ("json", "data"): "clean filter join sort split",
        ("web", "web"): "cache crawl fetch login parse post",
        ("git", "git"): "bisect blame merge rebase",
    }
    a_library(machine)
    rmtree(machine.library.root / "skills")
    for (what, category), words in verbs.items():
        for verb in words.split():
            about = (
                f"Does {verb} for {what} sources, step by step, and checks what came "
                f"out. Use when somebody has to {verb} something in {what}."
            )
            name, group = f"{what}-{verb}", f"category: {category}"
            add_skill(machine, name, page(name, about, "# Do it\n\nDo.\n", group))
    machine.library.commit("Many skills")


@situation("a hub, and a project with one of its skills")
def a_hub_and_a_project(machine: Machine) -> None:
    a_library(machine)
    machine.ok("release", "1.0.0")
    _build(machine, "v1.0.0")
    machine.aliases[machine.stack.enter_context(serving(machine.tmp / "hub"))] = HUB
    machine.cd(machine.home / "project")
    assert machine.run(f"skillforge install {HUB}@pdf-tables").code == 0


def _build(machine: Machine, tag: str) -> None:
    where = str(machine.library.root)
    machine.ok("build", tag, "--out", str(machine.tmp / "hub"), "--library", where)


@situation("a fresh clone of the project")
def a_fresh_clone_of_the_project(machine: Machine) -> None:
    rmtree(machine.home / "project/.agents")


@situation("somebody edits what is installed")
def somebody_edits_what_is_installed(machine: Machine) -> None:
    folder = machine.home / "project/.agents/skills/pdf-tables"
    (folder / "SKILL.md").write_text((folder / "SKILL.md").read_text() + "Mine.\n")
    (folder / "notes.txt").write_text("Mine.\n")


@situation("a new release of the hub")
def a_new_release_of_the_hub(machine: Machine) -> None:
    project = machine.home / "project"
    machine.cd(machine.library.root)
    for number, name in enumerate(("csv-tables", "pdf-tables"), 1):
        file = machine.library.root / f"skills/{name}/SKILL.md"
        file.write_text(file.read_text() + "\nThen look at it again.\n")
        machine.ok("propose", name, "--why", "It was wrong twice")
        land(machine, number)
    machine.ok("release", "1.0.1", "--include-canaries")
    _build(machine, "v1.0.1")
    machine.cd(project)


@situation("a skill that was promoted since the last release")
def a_skill_since_the_last_release(machine: Machine) -> None:
    a_library(machine)
    a_remote(machine)
    machine.ok("release", "1.0.0")
    text = page("xlsx-tables", XLSX, "# XLSX\n\nOpen each sheet.\n")
    add_skill(machine, "xlsx-tables", text)
    machine.ok("propose", "xlsx-tables", "--why", "Asked for five times last week")
    land(machine, 1)


@situation("a release")
def a_release(machine: Machine) -> None:
    a_skill_since_the_last_release(machine)
    machine.ok("release", "1.1.0", "--include-canaries")


@situation("a push with a token in it")
def a_push_with_a_token(machine: Machine) -> None:
    machine.library.git("reset", "--quiet", "--hard", "main")
    token = "ghp_" + "R7kQz2WvXn9TbYhG4sLm" + "C3pQdF1eK9uRaVo5"
    machine.library.write("skills/csv-tables/key.txt", f"{token}\n")
    machine.library.commit("Add a key")


@situation("the push is taken back")
def the_push_is_taken_back(machine: Machine) -> None:
    machine.library.git("reset", "--quiet", "--hard", "HEAD~1")
