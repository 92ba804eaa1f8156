"""Publish targets of other packages: found by their entry points."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.page_parser import ROOT
from tests.plugin_example import install_example
from tests.propose.conftest import Loop


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder where a package with the target of docs/extend.md is installed."""
    folder = tmp_path / "site"
    install_example("Publish targets", folder)
    return folder


def publish(loop: Loop, site: Path, to: str) -> "subprocess.CompletedProcess[str]":
    path = os.pathsep.join((str(site), str(ROOT)))
    return subprocess.run(
        [sys.executable, "-m", "skillforge", "publish", "--to", to, "--json"],
        cwd=loop.folder.root,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_target_of_the_page_publishes(
    released: Loop, site: Path, tmp_path: Path
) -> None:
    first = publish(released, site, f"archive:{tmp_path}/hubs")
    again = publish(released, site, f"archive:{tmp_path}/hubs")

    assert json.loads(first.stdout)["data"]["created"], first.stderr
    assert not json.loads(again.stdout)["data"]["created"]
    assert (tmp_path / "hubs/v1.0.0/SHA256SUMS").is_file()
    (tmp_path / "hubs/v1.0.0/SHA256SUMS").write_text("")
    assert publish(released, site, f"archive:{tmp_path}/hubs").returncode == 4
    assert publish(released, site, "archive").returncode == 2


def test_a_broken_target_is_named(released: Loop, site: Path) -> None:
    (site / "acme_hubs.py").write_text("raise RuntimeError('odd')")

    done = publish(released, site, "archive:hubs")

    assert done.returncode == 3
    assert (
        "plugin 'archive' (skillforge.publish_targets) cannot be loaded" in done.stderr
    )


@pytest.mark.parametrize("where", ["github:other", "clawhub:other", "branch"])
def test_an_address_is_given_where_it_is_needed(released: Loop, where: str) -> None:
    assert released("publish", "--to", where).code == 2


@pytest.mark.parametrize(
    ("module", "problem"),
    [
        ("archive = 42", "failed: TypeError"),
        ("def archive(request): raise ValueError('odd')", "failed: ValueError: odd"),
        ("def archive(request): raise SystemExit(0)", "failed: SystemExit: 0"),
        ("def archive(request): return None", "returned a NoneType"),
    ],
    ids=["number", "raises", "exits", "nothing"],
)
def test_a_target_that_fails_published_nothing(
    released: Loop, site: Path, module: str, problem: str
) -> None:
    (site / "acme_hubs.py").write_text(module)

    done = publish(released, site, "archive:hubs")

    assert done.returncode == 3
    assert problem in json.loads(done.stdout)["error"]["message"]
