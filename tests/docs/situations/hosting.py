"""A library on a GitHub of the loopback interface."""

import base64
import subprocess

from skillforge.forge import github_api
from tests.docs.situations.naming import (
    CSV,
    PLAIN_BODY,
    VERSION,
    add_skill,
    page,
    situation,
)
from tests.docs.world import World
from tests.github.hub import serve

GITHUB = "https://github.com"


@situation("an empty repository on GitHub")
def an_empty_repository_on_github(world: World) -> None:
    _clone(world, {"LICENSE": "MIT\n"})


@situation("a release on GitHub")
def a_release_on_github(world: World) -> None:
    """And ClawHub's own program."""
    skill = page("csv-tables", CSV, PLAIN_BODY, VERSION)
    _clone(world, {"skillforge.yaml": "", "skills/csv-tables/SKILL.md": skill})
    url = world.library.git("remote", "get-url", "origin").strip()
    real = url.replace(world.hub.url, GITHUB)  # a tag tells where it comes from
    world.library.git("remote", "set-url", "origin", real)
    world.ok("release", "1.1.0")
    world.library.git("remote", "set-url", "origin", url)
    world.library.git("push", "--quiet", "origin", "v1.1.0")
    world.program("clawhub", '#!/bin/sh\necho \'{"status": "would publish"}\'\n')


def _clone(world: World, files: dict[str, str]) -> None:
    """A clone of a repository; Ada may do everything, Rita may write."""
    for name in ("GH_TOKEN", "GITHUB_TOKEN", "GITHUB_SERVER_URL", "GH_HOST"):
        world.patch.delenv(name, raising=False)
    world.patch.setattr(github_api, "PAUSES", (0.0, 0.0, 0.0))
    hub = world.stack.enter_context(serve(world.tmp))
    world.patch.setenv("GH_HOST", hub.url.removeprefix("http://"))
    world.names[hub.url] = GITHUB
    for who in ("ada", "rita"):
        hub.user(who)
    hub.repo("acme/skills", admins=["ada"], writers=["rita"], files=files)
    world.go(world.home)
    world.library.root.rmdir()
    source = str(hub.repos["acme/skills"].path)
    line = ["git", "clone", "--quiet", source, str(world.library.root)]
    subprocess.run(line, check=True)
    world.go(world.library.root)
    world.library.git("remote", "set-url", "origin", f"{hub.url}/acme/skills.git")
    world.hub = hub
    _be(world, "ada")


def _be(world: World, who: str) -> None:
    """Whose token is used, by us and by git itself."""
    user = world.hub.user(who)
    world.patch.setenv("GITHUB_TOKEN", user.token)
    world.become(f"{who.capitalize()} <{who}@example.org>")
    login = base64.b64encode(f"x-access-token:{user.token}".encode()).decode()
    header = f"Authorization: Basic {login}"
    world.library.git("config", f"http.{world.hub.url}/.extraHeader", header)


@situation("a new skill in the clone")
def a_new_skill_in_the_clone(world: World) -> None:
    add_skill(world, "csv-tables", page("csv-tables", CSV, PLAIN_BODY))


@situation("it is Rita's turn")
def it_is_ritas_turn(world: World) -> None:
    _be(world, "rita")


@situation("it is Ada's turn")
def it_is_adas_turn(world: World) -> None:
    _be(world, "ada")
