"""Libraries whose skills were added by proposals."""

import subprocess

from tests.docs.machine import ADA, Machine
from tests.docs.situations.registry import (
    CSV,
    PLAIN_BODY,
    a_repository,
    add_skill,
    land,
    page,
    situation,
)

HEADERS = PLAIN_BODY + "\nKeep the header of every table.\n"


@situation("a new skill in the checkout")
def a_new_skill_in_the_checkout(machine: Machine) -> None:
    a_repository(machine)
    add_skill(machine, "csv-tables", page("csv-tables", CSV, PLAIN_BODY))


@situation("a repository of plugins")
def a_repository_of_plugins(machine: Machine) -> None:
    a_repository(machine)
    machine.library.git("rm", "-r", "--quiet", "--ignore-unmatch", ".")
    for plugin, name in (("tables", "csv-tables"), ("text", "spell-check")):
        text = page(name, CSV.replace("CSV", name), PLAIN_BODY)
        machine.library.write(f"plugins/{plugin}/skills/{name}/SKILL.md", text)
    machine.library.write("template/SKILL.md", page("my-skill", CSV, PLAIN_BODY))


@situation("a repository of plugins with an old finding")
def a_repository_with_an_old_finding(machine: Machine) -> None:
    a_repository_of_plugins(machine)
    page_of = machine.library.root / "plugins/tables/skills/csv-tables/SKILL.md"
    link = "\nSee [the formats](references/formats.md).\n"
    page_of.write_text(page_of.read_text() + link)
    machine.library.commit("As it was")


@situation("a remote")
def a_remote(machine: Machine) -> None:
    """An empty repository as `origin`."""
    path = machine.tmp / "origin.git"
    subprocess.run(["git", "init", "--quiet", "--bare", str(path)], check=True)
    machine.library.git("remote", "add", "origin", str(path))


@situation("a branch that adds a skill")
def a_branch_that_adds_a_skill(machine: Machine) -> None:
    """What a CI job checks out: origin/main, and a HEAD one commit ahead of it."""
    a_repository(machine)
    a_remote(machine)
    machine.library.git("push", "--quiet", "origin", "main")
    machine.library.git("fetch", "--quiet", "origin")
    machine.library.git("checkout", "--quiet", "-b", "csv")
    add_skill(machine, "csv-tables", page("csv-tables", CSV, PLAIN_BODY))
    machine.library.commit("Add csv-tables")


@situation("an edit on main")
def an_edit_on_main(machine: Machine) -> None:
    """A skill made by an agent and edited by a person, both by proposals."""
    a_new_skill_in_the_checkout(machine)
    machine.library.write("skillforge.yaml", "evidence: {examples: 0, sessions: 0}\n")
    machine.library.git("commit", "--quiet", "--all", "--message", "Trust agents")
    by = ("--origin", "agent-foreground")
    machine.ok("propose", "csv-tables", *by, "--why", "Three tables lost their header")
    land(machine, 1)
    add_skill(machine, "csv-tables", page("csv-tables", CSV, HEADERS))
    machine.ok("propose", "csv-tables", "--why", "Headers were lost")
    land(machine, 2)


@situation("a rollback")
def a_rollback(machine: Machine) -> None:
    an_edit_on_main(machine)
    machine.ok("rollback", "csv-tables", "--now", "--why", "It drops headers")


@situation("Eve pushes to main")
def eve_pushes_to_main(machine: Machine) -> None:
    machine.library.git("reset", "--quiet", "--hard", "main")
    add_skill(machine, "csv-tables", page("csv-tables", CSV, "# CSV\n\nTrust me.\n"))
    machine.switch_user("Eve <eve@example.org>")
    machine.library.commit("Improve")
    machine.switch_user(ADA)


@situation("a policy with a slip")
def a_policy_with_a_slip(machine: Machine) -> None:
    machine.library.write("skillforge.yaml", "profil: spec\n")
