"""A library on GitHub, and the people who work on it, each with a token and a clone."""

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from skillforge.forge import github_api
from tests.conftest import LibraryFolder, Ran, Run, skill_md
from tests.github.hub import Hub, Repo, serve
from tests.propose.conftest import page

QUICK = "checks: [validate]\n"  # most tests are not about what the checks say
AUTHOR, REVIEWER, STRANGER = "ada", "rita", "sam"


SKILL = "skills/xlsx-tables/SKILL.md"


def by_hand(*words: object) -> dict[str, str]:
    """A skill as somebody writes it without the tool."""
    return {SKILL: page("xlsx-tables", "", *words)}


@dataclass
class Team:
    """The commands of the loop by different people, on one repository on GitHub."""

    hub: Hub
    repo: Repo
    run: Run
    tmp: Path
    monkeypatch: pytest.MonkeyPatch

    def clone(self, who: str) -> LibraryFolder:
        folder = self.tmp / "clones" / who
        if not folder.exists():
            url = f"{self.hub.url}/{self.repo.full_name}.git"
            line = ["git", "clone", "--quiet", str(self.repo.path), str(folder)]
            subprocess.run(line, check=True)  # as from the hub, in a fifth of the time
            LibraryFolder(folder).git("remote", "set-url", "origin", url)
        return LibraryFolder(folder)

    def __call__(self, who: str, *arguments: object) -> Ran:
        """What somebody types in their clone."""
        self.be(who)
        words = [str(argument) for argument in arguments]
        where = ("--library", str(self.clone(who).root))
        return self.run(words[0], *where, *words[1:])

    def be(self, who: str) -> None:
        user = self.hub.user(who)
        self.monkeypatch.setenv("GITHUB_TOKEN", user.token)
        for role in ("AUTHOR", "COMMITTER"):
            self.monkeypatch.setenv(f"GIT_{role}_NAME", f"{who.capitalize()} Person")
            self.monkeypatch.setenv(f"GIT_{role}_EMAIL", user.mail)

    def push(self, branch: str, files: dict[str, str], who: str = AUTHOR) -> str:
        """Somebody commits to a branch by hand, and pushes it."""
        self.be(who)
        clone, token = self.clone(who), self.hub.user(who).token
        clone.git("fetch", "--quiet", "origin")
        there = clone.git("ls-remote", "--heads", "origin", branch)
        start = f"origin/{branch}" if there else "origin/main"
        clone.git("checkout", "--quiet", "-B", branch, start)
        for path, text in files.items():
            clone.write(path, text)
        commit = clone.commit("By hand")
        host = self.hub.url.removeprefix("http://")
        url = f"http://x-access-token:{token}@{host}/{self.repo.full_name}.git"
        clone.git("push", "--quiet", url, f"HEAD:refs/heads/{branch}")
        clone.git("checkout", "--quiet", "main")
        return commit

    def open_pull(self, branch: str, who: str = AUTHOR, title: str = "By hand") -> int:
        """Somebody opens a pull request in GitHub's pages."""
        api = f"{self.hub.api}/repos/{self.repo.full_name}/pulls"
        fields = {"title": title, "head": branch, "base": "main", "body": "See title"}
        head = {"Authorization": f"Bearer {self.hub.user(who).token}"}
        asked = Request(api, json.dumps(fields).encode(), head, method="POST")
        with urlopen(asked) as answer:
            number: int = json.load(answer)["number"]
        return number

    def page(self, number: int) -> str:
        return self.repo.pulls[number].body or ""

    def labels(self, number: int) -> set[str]:
        return {label.name for label in self.repo.pulls[number].labels}

    def remarks(self, number: int) -> list[str]:
        return [comment.body for comment in self.repo.pulls[number].comments]

    def ok(self, who: str, *arguments: object) -> dict[str, Any]:
        ran = self(who, *arguments, "--json")
        assert ran.code == 0, ran.out + ran.err
        return ran.data

    def check_all(self) -> None:
        """From now on every check counts, as it does by default."""
        self.push("main", {"skillforge.yaml": ""})

    def draft(self, name: str, *words: object, extra: str = "") -> Path:
        folder = self.tmp / "drafts" / name
        folder.mkdir(parents=True, exist_ok=True)
        text = page(name, extra, *words)
        (folder / "SKILL.md").write_text(text)
        return folder

    def propose(self, name: str, *words: object, who: str = AUTHOR) -> int:
        number: int = self.ok(who, "propose", self.draft(name, *words))["proposal"]
        return number

    def approve(self, number: int, who: str = REVIEWER) -> None:
        self.ok(who, "review", number, "--approve")

    def promote(self, number: int, who: str = REVIEWER) -> dict[str, Any]:
        return self.ok(who, "promote", number)

    def land(self, name: str, *words: object) -> dict[str, Any]:
        number = self.propose(name, *words)
        self.approve(number)
        return self.promote(number)

    def audit_kinds(self, who: str = REVIEWER, *options: str) -> list[str]:
        found = self(who, "audit", "--json", *options).data["exceptions"]
        return [exception["kind"] for exception in found]

    def fetch(self, who: str, *refspecs: str) -> None:
        self.clone(who).git("fetch", "--quiet", "origin", *refspecs)


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    for name in ("GH_TOKEN", "GITHUB_TOKEN", "GITHUB_SERVER_URL", "GH_HOST"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(github_api, "PAUSES", (0.0, 0.0, 0.0))
    with serve(tmp_path) as hub:
        monkeypatch.setenv("GH_HOST", hub.url.removeprefix("http://"))
        yield hub


@pytest.fixture
def team(hub: Hub, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Team:
    files = {
        "skillforge.yaml": QUICK,
        "skills/csv-tables/SKILL.md": skill_md("csv-tables"),
        "skills/pdf-tables/SKILL.md": skill_md("pdf-tables"),
    }
    for who in (AUTHOR, REVIEWER, STRANGER):
        hub.user(who, mail=f"{who}@example.invalid")
    writers = [AUTHOR, REVIEWER]
    repo = hub.repo("acme/skills", admins=["olga"], writers=writers, files=files)
    return Team(hub, repo, run, tmp_path, monkeypatch)
