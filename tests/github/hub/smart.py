"""Git over HTTP: real git behind GitHub's questions about who may push."""

import base64
import binascii
import subprocess
from dataclasses import dataclass
from email.message import Message

from tests.github.hub.bare import clean_environment
from tests.github.hub.pulls import follow_branches
from tests.github.hub.rules import forbidden_pushes
from tests.github.hub.state import Repo, State, User

Refusal = tuple[int, str]


@dataclass(frozen=True)
class GitAnswer:
    status: int
    headers: dict[str, str]
    data: bytes


def serve_git(
    hub: State, method: str, path: str, query: str, headers: Message,
    data: bytes,
) -> GitAnswer:  # fmt: skip
    """Answer one request below `/{owner}/{repo}.git/`."""
    push = "git-receive-pack" in path + query
    name = path.strip("/").partition(".git/")[0].lower()
    repo = hub.repos.get(name)
    by, known = credentials(hub, headers.get("Authorization", ""))
    refusal = _refusal(repo, by, known, push)
    if refusal or repo is None:
        return _refused(*(refusal or (404, "Repository not found.")))
    environment = clean_environment(hub.root) | {
        "GIT_PROJECT_ROOT": str(hub.root / "repos"),
        "GIT_HTTP_EXPORT_ALL": "1",
        "REQUEST_METHOD": method,
        "PATH_INFO": f"/{repo.full_name}.git/{path.partition('.git/')[2]}",
        "QUERY_STRING": query,
        "CONTENT_TYPE": headers.get("Content-Type", ""),
        "CONTENT_LENGTH": str(len(data)),
        "HTTP_CONTENT_ENCODING": headers.get("Content-Encoding", ""),
        "GIT_PROTOCOL": headers.get("Git-Protocol", ""),
        "REMOTE_ADDR": "127.0.0.1",
    }
    if push and by:
        environment |= {"REMOTE_USER": by.login} | forbidden_pushes(repo, by)
    done = subprocess.run(
        ["git", "http-backend"], input=data, capture_output=True, env=environment
    )
    if push and method == "POST":
        follow_branches(hub, by)
    return _parsed(done.stdout)


def credentials(hub: State, header: str) -> tuple[User | None, bool]:
    """Whose token this is, and whether none or a good one was sent."""
    kind, _, secret = header.partition(" ")
    if not header:
        return None, True
    if kind.lower() != "basic":
        return None, False
    try:
        text = base64.b64decode(secret).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None, False
    user = hub.by_token(text.partition(":")[2])
    return user, user is not None


def _refusal(
    repo: Repo | None, by: User | None, known: bool, push: bool
) -> Refusal | None:
    if not known or (by is None and (push or repo is None)):
        return 401, "Invalid username or token."
    if repo is None or not repo.allows(by, "read"):
        return (404, "Repository not found.") if by else (401, "No anonymous access.")
    if push and not repo.allows(by, "write"):
        login = by.login if by else "nobody"
        return 403, f"Permission to {repo.full_name}.git denied to {login}."
    return None


def _refused(status: int, message: str) -> GitAnswer:
    headers = {"Content-Type": "text/plain; charset=UTF-8"}
    if status == 401:
        headers["WWW-Authenticate"] = 'Basic realm="GitHub"'
    return GitAnswer(status, headers, message.encode())


def _parsed(output: bytes) -> GitAnswer:
    head, _, data = output.partition(b"\r\n\r\n")
    pairs = (line.split(": ", 1) for line in head.decode().split("\r\n") if line)
    headers = {name: value for name, value in pairs if name != "Content-Length"}
    status = int(headers.pop("Status", "200 OK").split(" ")[0])
    return GitAnswer(status, headers, data)
