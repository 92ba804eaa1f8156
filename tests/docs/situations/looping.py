"""Libraries whose skills came by proposals."""

import subprocess

from tests.docs.situations.naming import (
    CSV,
    PLAIN_BODY,
    a_repository,
    add_skill,
    land,
    page,
    situation,
)
from tests.docs.world import ADA, World

HEADERS = PLAIN_BODY + "\nKeep the header of every table.\n"


@situation("a new skill in the checkout")
def a_new_skill_in_the_checkout(world: World) -> None:
    a_repository(world)
    add_skill(world, "csv-tables", page("csv-tables", CSV, PLAIN_BODY))


@situation("a remote")
def a_remote(world: World) -> None:
    """An empty repository that `origin` leads to."""
    path = world.tmp / "origin.git"
    subprocess.run(["git", "init", "--quiet", "--bare", str(path)], check=True)
    world.library.git("remote", "add", "origin", str(path))


@situation("a branch that adds a skill")
def a_branch_that_adds_a_skill(world: World) -> None:
    """As a workflow sees it: origin/main, and a HEAD with one commit more."""
    a_repository(world)
    a_remote(world)
    world.library.git("push", "--quiet", "origin", "main")
    world.library.git("fetch", "--quiet", "origin")
    world.library.git("checkout", "--quiet", "-b", "csv")
    add_skill(world, "csv-tables", page("csv-tables", CSV, PLAIN_BODY))
    world.library.commit("Add csv-tables")


@situation("an edit on main")
def an_edit_on_main(world: World) -> None:
    """Made by an agent, then edited by a person; nothing of it is adopted."""
    a_new_skill_in_the_checkout(world)
    world.library.write("skillforge.yaml", "evidence: {examples: 0, sessions: 0}\n")
    world.library.git("commit", "--quiet", "--all", "--message", "Trust agents")
    by = ("--origin", "agent-foreground")
    world.ok("propose", "csv-tables", *by, "--why", "Three tables lost their header")
    land(world, 1)
    add_skill(world, "csv-tables", page("csv-tables", CSV, HEADERS))
    world.ok("propose", "csv-tables", "--why", "Headers were lost")
    land(world, 2)


@situation("a rollback")
def a_rollback(world: World) -> None:
    an_edit_on_main(world)
    world.ok("rollback", "csv-tables", "--now", "--why", "It drops headers")


@situation("Eve pushes to main")
def eve_pushes_to_main(world: World) -> None:
    world.library.git("reset", "--quiet", "--hard", "main")
    add_skill(world, "csv-tables", page("csv-tables", CSV, "# CSV\n\nTrust me.\n"))
    world.become("Eve <eve@example.org>")
    world.library.commit("Improve")
    world.become(ADA)


@situation("a policy with a slip")
def a_policy_with_a_slip(world: World) -> None:
    world.library.write("skillforge.yaml", "profil: spec\n")
