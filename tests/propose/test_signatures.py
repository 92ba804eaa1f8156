"""Commits of branches are signed where git is told to, by the user's programs alone."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import LibraryFolder, Run
from tests.propose.conftest import Loop

ME = "test@example.invalid"
Settings = dict[str, str]


def _needs(program: str) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")


def ssh_key(tmp_path: Path) -> Settings:
    _needs("ssh-keygen")
    key = tmp_path / "key"
    line = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)]
    subprocess.run(line, check=True)
    public = key.with_suffix(".pub").read_text()
    (tmp_path / "allowed").write_text(f"{ME} {public}")
    return {
        "gpg.format": "ssh",
        "user.signingKey": str(key),
        "gpg.ssh.allowedSignersFile": str(tmp_path / "allowed"),
    }


def gpg_key(_tmp_path: Path) -> Settings:
    _needs("gpg")
    line = ["gpg", "--batch", "--quiet", "--passphrase", "", "--quick-generate-key"]
    who = f"Test <{ME}>"
    done = subprocess.run([*line, who, "ed25519"], capture_output=True, check=False)
    if done.returncode:
        pytest.skip(f"gpg makes no key here: {done.stderr.decode()[-200:]}")
    return {}


_PINENTRY = """\
#!/bin/sh
echo OK
while read -r line; do
    case "$line" in GETPIN*) echo "D " ;; esac
    echo OK
done
"""
_CERTIFICATE = f"""\
Key-Type: RSA
Key-Length: 2048
Key-Usage: sign
Serial: random
Name-DN: CN=Test
Name-Email: {ME}
Hash-Algo: SHA256
"""


def x509_key(_tmp_path: Path) -> Settings:
    """A certificate that signs itself; its key has an empty passphrase."""
    _needs("gpgsm")
    home = Path(os.environ["GNUPGHOME"])
    (home / "pinentry").write_text(_PINENTRY)
    (home / "pinentry").chmod(0o755)
    (home / "gpg-agent.conf").write_text(f"pinentry-program {home}/pinentry\n")
    (home / "gpgsm.conf").write_text("disable-crl-checks\ndisable-dirmngr\n")

    def gpgsm(*options: str, given: bytes = b"") -> bytes:
        line = ["gpgsm", "--batch", *options]
        done = subprocess.run(line, input=given, capture_output=True, check=False)
        if done.returncode:
            pytest.skip(f"gpgsm makes no key here: {done.stderr.decode()[-200:]}")
        return done.stdout

    gpgsm("--import", given=gpgsm("--gen-key", given=_CERTIFICATE.encode()))
    listed = gpgsm("--list-keys", "--with-colons").decode().splitlines()
    rows = (row.split(":") for row in listed)
    fingerprint = next(row[9] for row in rows if row[0] == "fpr")
    (home / "trustlist.txt").write_text(f"{fingerprint} S relax\n")
    subprocess.run(["gpgconf", "--reload", "gpg-agent"], check=False)
    return {"gpg.format": "x509", "user.signingKey": ME}


@pytest.fixture
def keys(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A place for keys whose path is short enough for an agent's socket."""
    with tempfile.TemporaryDirectory(prefix="sf-") as home:
        monkeypatch.setenv("GNUPGHOME", home)
        yield
        if shutil.which("gpgconf"):
            subprocess.run(["gpgconf", "--kill", "all"], check=False)


def set_globally(settings: Settings) -> None:
    for key, value in settings.items():
        line = ["git", "config", "--global", key, value]
        subprocess.run(line, check=True)


SIGNING = {"commit.gpgSign": "true", "tag.gpgSign": "true"}


@pytest.mark.usefixtures("keys")
@pytest.mark.parametrize("key", [ssh_key, gpg_key, x509_key])
def test_proposals_merges_and_releases_are_signed(
    loop: Loop, tmp_path: Path, key: Callable[[Path], Settings]
) -> None:
    set_globally(key(tmp_path) | SIGNING)

    merge = loop.land("xlsx-tables")["merge"]
    back = loop.ok("rollback", "xlsx-tables", "--now", "--why", "Worse")["merge"]
    number = loop.propose("ods-tables")
    loop.land("aa-tables")
    loop.ok("refresh", number)
    head = loop.ok("review", number)["head"]
    loop.ok("release", "1.0.0")

    commits = [merge, f"{merge}^2", back, f"{back}^2", head]
    loop.folder.git("verify-commit", *commits)
    loop.folder.git("verify-tag", "v1.0.0")
    records = loop.folder.git("for-each-ref", "--format=%(refname)", "refs/skillforge")
    for ref in records.split():
        assert "gpgsig" not in loop.folder.git("cat-file", "-p", ref)
    assert loop.audit_kinds() == []
    loop.fsck()


@pytest.mark.usefixtures("keys")
def test_a_retry_finds_what_was_signed_otherwise(loop: Loop, tmp_path: Path) -> None:
    set_globally(gpg_key(tmp_path) | SIGNING)
    draft = loop.draft(tmp_path, "xlsx-tables")
    first = loop.ok("propose", draft)

    again = loop.ok("propose", draft)

    assert (again["proposal"], again["commit"]) == (first["proposal"], first["commit"])
    loop.approve(first["proposal"])
    merged = loop.promote(first["proposal"])
    assert loop.promote(first["proposal"])["merge"] == merged["merge"]


def test_a_missing_key_stops_before_anything_moves(loop: Loop, tmp_path: Path) -> None:
    number = loop.propose("ods-tables")
    loop.approve(number)
    broken = {"gpg.format": "ssh", "user.signingKey": str(tmp_path / "no-key")}
    set_globally(broken | SIGNING)
    heads = ("for-each-ref", "refs/heads")
    before = loop.folder.git(*heads), loop.folder.git("status", "--porcelain")

    for line in (("propose", loop.draft(tmp_path, "one")), ("promote", number)):
        ran = loop(*line)
        assert ran.code == 3
        assert "cannot sign the commit" in ran.err
        assert "user.signingKey" in ran.err

    now = loop.folder.git(*heads), loop.folder.git("status", "--porcelain")
    assert now == before
    assert loop.ok("proposals")["proposals"][0]["number"] == number


@pytest.mark.parametrize(
    "key",
    [
        "gpg.program",
        "gpg.openpgp.program",
        "gpg.x509.program",
        "gpg.ssh.program",
        "gpg.ssh.defaultKeyCommand",
    ],
)
def test_no_program_of_the_repository_signs(
    loop: Loop, tmp_path: Path, key: str
) -> None:
    """The same configuration that a stranger's archive may bring along."""
    mark = tmp_path / "it-ran"
    program = loop.folder.write("../program", f"#!/bin/sh\ntouch {mark}\nexit 1\n")
    program.chmod(0o755)
    kind = key.split(".")[1]
    settings = SIGNING | {
        "gpg.format": kind if kind in ("ssh", "x509") else "openpgp",
        key: str(program.resolve()),
    }
    if "default" not in key:
        settings["user.signingKey"] = str(tmp_path / "none")
    for name, value in settings.items():
        loop.folder.git("config", name, value)

    assert loop("propose", loop.draft(tmp_path, "xlsx-tables")).code == 3
    assert loop("release", "1.0.0").code == 3

    assert not mark.exists()


def test_a_program_of_the_user_signs(loop: Loop, tmp_path: Path) -> None:
    """Also where the repository names another one."""
    settings = ssh_key(tmp_path)
    mark = tmp_path / "it-ran"
    program = loop.folder.write(
        "../program", f'#!/bin/sh\ntouch {mark}\nexec ssh-keygen "$@"\n'
    )
    program.chmod(0o755)
    settings["gpg.ssh.program"] = str(program.resolve())
    set_globally(settings | SIGNING)
    loop.folder.git("config", "gpg.ssh.program", "false")

    head = loop.ok("propose", loop.draft(tmp_path, "xlsx-tables"))["commit"]

    assert mark.exists()
    loop.folder.git("config", "--unset", "gpg.ssh.program")
    loop.folder.git("verify-commit", head)


def test_commits_of_a_repository_of_sha256_are_signed(tmp_path: Path, run: Run) -> None:
    set_globally(ssh_key(tmp_path) | SIGNING)
    folder = LibraryFolder(tmp_path / "sha256")
    folder.root.mkdir()
    folder.git("init", "--quiet", "-b", "main", "--object-format=sha256")
    folder.add_skill("csv-tables")
    folder.commit("Start")
    loop = Loop(folder, run)

    merge = loop.land("xlsx-tables")["merge"]

    folder.git("verify-commit", merge, f"{merge}^2")


def test_what_is_signed_is_what_would_be_made_without(
    loop: Loop, tmp_path: Path
) -> None:
    """Names, mails and text reach git's own commits as they reach ours."""
    settings = ssh_key(tmp_path)
    set_globally(settings | SIGNING | {"i18n.commitEncoding": "latin1"})
    draft = loop.draft(tmp_path, "xlsx-tables")
    options = ("--as", "Zoë Ø'Neil <zoe@example.invalid>", "--why", "# Größer\n\n  x")

    head = loop.ok("propose", draft, *options)["commit"]

    text = loop.folder.git("cat-file", "-p", head)
    assert "author Zoë Ø'Neil <zoe@example.invalid> " in text
    assert "# Größer" in text
    assert "\nencoding" not in text
    assert "Proposed-By: Zoë Ø'Neil <zoe@example.invalid>" in text
