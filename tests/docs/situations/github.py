"""A library on a GitHub that runs on the loopback interface."""

import base64
import subprocess

from skillforge.forge import github_api
from tests.docs.machine import Machine
from tests.docs.situations.registry import (
    CSV,
    PLAIN_BODY,
    VERSION,
    add_skill,
    page,
    situation,
)
from tests.github.hub import serve

GITHUB = "https://github.com"


@situation("an empty repository on GitHub")
def an_empty_repository_on_github(machine: Machine) -> None:
    _clone(machine, {"LICENSE": "MIT\n"})


@situation("a release on GitHub")
def a_release_on_github(machine: Machine) -> None:
    """With ClawHub's client installed."""
    skill = page("csv-tables", CSV, PLAIN_BODY, VERSION)
    _clone(machine, {"skillforge.yaml": "", "skills/csv-tables/SKILL.md": skill})
    url = machine.library.git("remote", "get-url", "origin").strip()
    real = url.replace(machine.hub.url, GITHUB)  # a tag records where it comes from
    machine.library.git("remote", "set-url", "origin", real)
    machine.ok("release", "1.1.0")
    machine.library.git("remote", "set-url", "origin", url)
    machine.library.git("push", "--quiet", "origin", "v1.1.0")
    machine.install_program(
        "clawhub", '#!/bin/sh\necho \'{"status": "would publish"}\'\n'
    )


def _clone(machine: Machine, files: dict[str, str]) -> None:
    """Clone a repository where Ada is an admin and Rita may write."""
    for name in ("GH_TOKEN", "GITHUB_TOKEN", "GITHUB_SERVER_URL", "GH_HOST"):
        machine.patch.delenv(name, raising=False)
    machine.patch.setattr(github_api, "PAUSES", (0.0, 0.0, 0.0))
    hub = machine.stack.enter_context(serve(machine.tmp))
    machine.patch.setenv("GH_HOST", hub.url.removeprefix("http://"))
    machine.aliases[hub.url] = GITHUB
    for who in ("ada", "rita"):
        hub.user(who)
    hub.repo("acme/skills", admins=["ada"], writers=["rita"], files=files)
    machine.cd(machine.home)
    machine.library.root.rmdir()
    source = str(hub.repos["acme/skills"].path)
    line = ["git", "clone", "--quiet", source, str(machine.library.root)]
    subprocess.run(line, check=True)
    machine.cd(machine.library.root)
    machine.library.git("remote", "set-url", "origin", f"{hub.url}/acme/skills.git")
    machine.hub = hub
    _log_in(machine, "ada")


def _log_in(machine: Machine, who: str) -> None:
    """Use the token of a user, in Skillforge and in git."""
    user = machine.hub.user(who)
    machine.patch.setenv("GITHUB_TOKEN", user.token)
    machine.switch_user(f"{who.capitalize()} <{who}@example.org>")
    login = base64.b64encode(f"x-access-token:{user.token}".encode()).decode()
    header = f"Authorization: Basic {login}"
    machine.library.git("config", f"http.{machine.hub.url}/.extraHeader", header)


@situation("a new skill in the clone")
def a_new_skill_in_the_clone(machine: Machine) -> None:
    add_skill(machine, "csv-tables", page("csv-tables", CSV, PLAIN_BODY))


@situation("it is Rita's turn")
def it_is_ritas_turn(machine: Machine) -> None:
    _log_in(machine, "rita")


@situation("it is Ada's turn")
def it_is_adas_turn(machine: Machine) -> None:
    _log_in(machine, "ada")
