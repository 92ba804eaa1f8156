"""Install from a built hub, and from git at the tag, with the clients that people use.

    python -m tests.clients FOLDER      where `npm install` has put the clients

Each client works in a home of its own and on the loopback interface; what it has put
on disk is compared with what was published, byte for byte.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from tests.github.hub import serve as serve_github

ROOT = Path(__file__).parents[1]
TAG = "v1.0.0"
WITH_PAGE = "html-report"  # published in archives only
SKILL = """\
---
name: {}
description: Fills a report for the browser. Use when asked for a report.
---
# Report

Fill assets/report.html.
"""
OWN_FILES = {".openskills.json"}  # that a client adds to what it installs
Files = dict[str, bytes]
Try = tuple[str, Callable[[], str]]


class Work:
    """A library with a release, its hub, and homes for the clients."""

    def __init__(self, folder: Path, npm: Path) -> None:
        self.folder, self.npm = folder, npm
        self.library, self.hub = folder / "library", folder / "hub"
        self.clone = folder / "clone"
        self.homes = 0

    def make(self) -> None:
        shutil.copytree(ROOT / "skills", self.library / "skills")
        page = self.library / "skills" / WITH_PAGE
        (page / "assets").mkdir(parents=True)
        (page / "SKILL.md").write_text(SKILL.format(WITH_PAGE))
        (page / "assets/report.html").write_text("<!doctype html><title>x</title>\n")
        git = partial(self.run, cwd=self.library)
        git("git", "init", "--quiet", "--initial-branch=main")
        git("git", "add", "--all")
        git("git", "commit", "--quiet", "--message=Start")
        tool = (sys.executable, "-m", "skillforge")
        git(*tool, "release", TAG)
        git(*tool, "build", TAG, "--out", str(self.hub), "--title", "Our skills")
        git(*tool, "publish", "--to", "branch:gh-pages", "--title", "Our skills")
        line = ("git", "clone", "--quiet", f"--branch={TAG}", str(self.library))
        self.run(*line, str(self.clone), cwd=self.folder)

    def run(self, *line: str, cwd: Path, home: Path | None = None) -> str:
        """What a program says, in a home that nobody else has."""
        quiet = {
            "HOME": str(home or self.folder),
            "CI": "1",
            "NO_COLOR": "1",
            "DO_NOT_TRACK": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            **{
                f"GIT_{who}_{what}": value
                for who in ("AUTHOR", "COMMITTER")
                for what, value in (("NAME", "Ada"), ("EMAIL", "ada@example.invalid"))
            },
        }
        env = {**os.environ, **quiet, "PATH": f"{self.npm}:{os.environ['PATH']}"}
        done = subprocess.run(
            line, cwd=cwd, env=env, capture_output=True, text=True, timeout=300
        )
        if done.returncode:
            raise AssertionError(f"{line[0]} failed: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def project(self) -> Path:
        self.homes += 1
        project = self.folder / f"project-{self.homes}"
        project.mkdir()
        return project


def files(folder: Path) -> Files:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in found
        if path.name not in OWN_FILES
    }


def compared(installed: Path, expected: Files) -> str:
    found = files(installed)
    differing = {p for p in found.keys() | expected if found.get(p) != expected.get(p)}
    assert not differing, f"these differ: {sorted(differing)}"
    skills = {path.partition("/")[0] for path in found}
    return f"{len(skills)} skills, {len(found)} files, all equal"


@contextmanager
def served(folder: Path, hidden: str = "") -> Iterator[str]:
    """A folder on the loopback interface, as any web server would show it."""

    class Handler(SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            if hidden and hidden in self.path:
                self.send_error(404)
            else:
                super().do_GET()

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    handler = partial(Handler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def published(work: Work) -> Files:
    """All that the hub holds, out of its archives."""
    found: Files = {}
    for archive in (work.hub / ".well-known/agent-skills").glob("*.tar.gz"):
        with tarfile.open(archive) as tar:
            for member in tar:
                file = tar.extractfile(member)
                assert file is not None
                name = archive.name.removesuffix(".tar.gz")
                found[f"{name}/{member.name}"] = file.read()
    return found


def loose(work: Work) -> Files:
    """What it serves file by file: not the skill with a page."""
    listed = files(work.hub / ".well-known/skills")
    assert not any(path.startswith(f"{WITH_PAGE}/") for path in listed)
    return {path: data for path, data in listed.items() if path != "index.json"}


def skills_add(work: Work, source: str, expected: Files) -> str:
    project = work.project()
    options = ("--skill", "*", "--agent", "claude-code", "--yes", "--copy")
    work.run("skills", "add", source, *options, cwd=project, home=project)
    return compared(project / ".claude/skills", expected)


def skills_from_hub(work: Work) -> str:
    with served(work.hub) as url:
        return skills_add(work, url, published(work))


def skills_from_project_site(work: Work) -> str:
    """As on GitHub Pages, where a hub is not at the top of its host."""
    top = work.folder / "site"
    top.mkdir()
    (top / "library").symlink_to(work.hub)
    with served(top) as url:
        return skills_add(work, f"{url}/library", published(work))


def skills_from_legacy(work: Work) -> str:
    with served(work.hub, hidden="agent-skills") as url:
        return skills_add(work, url, loose(work))


def skills_from_git(work: Work) -> str:
    return skills_add(work, str(work.clone), files(work.clone / "skills"))


def openskills_install(work: Work, source: str, expected: Files) -> str:
    project = work.project()
    work.run("openskills", "install", source, "--yes", cwd=project, home=project)
    return compared(project / ".claude/skills", expected)


def openskills_from_hub(work: Work) -> str:
    """It clones: the hub is what `publish --to branch:gh-pages` made of it."""
    with serve_github(work.folder) as github:
        repo = github.repo("acme/skills")
        line = ("git", "push", "--quiet", str(repo.path), "gh-pages")
        work.run(*line, cwd=work.library)
        repo.git("symbolic-ref", "HEAD", "refs/heads/gh-pages")
        url = f"{github.url}/acme/skills.git"
        return openskills_install(work, url, loose(work))


def openskills_from_git(work: Work) -> str:
    return openskills_install(work, str(work.clone), files(work.clone / "skills"))


def skills_ref(work: Work) -> str:
    import skills_ref

    folders = [
        path
        for top in (work.clone / "skills", work.hub / ".well-known/skills")
        for path in sorted(top.iterdir())
        if path.is_dir()
    ]
    wrong = {path.name: skills_ref.validate(path) for path in folders}
    assert not any(wrong.values()), wrong
    return f"{len(folders)} folders, all valid"


def claude_validates(work: Work) -> str:
    work.run("claude", "plugin", "validate", "--strict", str(work.hub), cwd=work.hub)
    return "the marketplace passes, warnings count as errors"


def claude_installs(work: Work) -> str:
    project = work.project()
    run = partial(work.run, cwd=project, home=project)
    run("claude", "plugin", "marketplace", "add", str(work.hub))
    names = sorted({path.partition("/")[0] for path in loose(work)})
    for name in names:
        run("claude", "plugin", "install", f"{name}@our-skills")
        shown = run("claude", "plugin", "details", name)
        assert f"Skills (1)  {name}" in shown, shown
    cache = project / ".claude/plugins/cache/our-skills"
    for name in names:
        [version] = (cache / name).iterdir()
        own = {
            path.removeprefix(f"{name}/"): data
            for path, data in loose(work).items()
            if path.startswith(f"{name}/")
        }
        compared(version, own)
    return f"{len(names)} plugins, each with its skill, all files equal"


def tries(work: Work) -> list[Try]:
    named: dict[str, Callable[[Work], str]] = {
        "skills add HUB": skills_from_hub,
        "skills add HUB below a path": skills_from_project_site,
        "skills add HUB, legacy index": skills_from_legacy,
        "skills add CLONE at the tag": skills_from_git,
        "openskills install HUB by git": openskills_from_hub,
        "openskills install CLONE at the tag": openskills_from_git,
        "skills-ref validate": skills_ref,
        "claude plugin validate": claude_validates,
        "claude plugin install": claude_installs,
    }
    return [(name, partial(attempt, work)) for name, attempt in named.items()]


def main() -> int:
    npm = Path(sys.argv[1]).resolve() / "node_modules/.bin"
    failed = 0
    with tempfile.TemporaryDirectory(prefix="clients-") as folder:
        work = Work(Path(folder), npm)
        work.make()
        for name, attempt in tries(work):
            try:
                sys.stdout.write(f"{name:<36} {attempt()}\n")
            except (AssertionError, subprocess.TimeoutExpired) as err:
                failed += 1
                sys.stdout.write(f"{name:<36} FAILED: {err}\n")
            sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
