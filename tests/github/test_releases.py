"""`publish --to github`: a Release with its files, marked latest, and never half."""

import hashlib

import pytest

from tests.github.conftest import AUTHOR, REVIEWER, Team
from tests.github.hub.state import Asset

pytestmark = pytest.mark.slow  # `make test-all` runs it

SUMS = "SHA256SUMS"


@pytest.fixture
def tagged(team: Team) -> Team:
    """A clone with a release that is pushed as well."""
    team.clone(AUTHOR)
    team.ok(AUTHOR, "release", "1.0.0")
    push(team, "v1.0.0")
    return team


def push(team: Team, tag: str) -> None:
    team.clone(AUTHOR).git("push", "--quiet", str(team.repo.path), tag)


def names(team: Team) -> set[str]:
    return {asset.name for asset in team.repo.releases[0].assets}


def test_a_release_with_everything_in_it(tagged: Team) -> None:
    done = tagged.ok(AUTHOR, "publish", "--to", "github")

    [release] = tagged.repo.releases
    assert done["created"]
    assert done["url"].endswith("/acme/skills/releases/tag/v1.0.0")
    assert not release.draft
    assert tagged.repo.latest is release
    assert "### Added" in (release.body or "")
    assert names(tagged) == {
        SUMS,
        "manifest.json",
        "provenance.intoto.json",
        *(f"{name}.skill" for name in ("csv-tables", "pdf-tables")),
        *(f"{name}.tar.gz" for name in ("csv-tables", "pdf-tables")),
    }
    data = {asset.name: asset.data for asset in release.assets}
    for line in data.pop(SUMS).decode().splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256(data.pop(name)).hexdigest() == digest
    assert not data


def test_a_second_run_is_harmless(tagged: Team) -> None:
    tagged.ok(AUTHOR, "publish", "--to", "github")
    sent = len(tagged.hub.exchanges)

    again = tagged.ok(AUTHOR, "publish", "--to", "github")

    assert (again["created"], again["sent"]) == (False, [])
    assert {exchange.method for exchange in tagged.hub.exchanges[sent:]} == {"GET"}
    assert len(tagged.repo.releases) == 1


@pytest.mark.parametrize(
    ("method", "pattern"),
    [
        pytest.param("POST", r"/releases$", id="create"),
        pytest.param("POST", r"/assets$", id="upload"),
        pytest.param("PATCH", r"/releases/\d+$", id="publish"),
    ],
)
@pytest.mark.parametrize("after", [False, True], ids=["lost", "answer-lost"])
def test_a_lost_connection_makes_nothing_twice(
    tagged: Team, method: str, pattern: str, after: bool
) -> None:
    tagged.hub.fail(method, pattern, drop=True, after=after)

    tagged.ok(AUTHOR, "publish", "--to", "github")

    assert len(tagged.repo.releases) == 1
    assert len(names(tagged)) == len(tagged.repo.releases[0].assets) == 7


def test_what_was_left_half_done_is_finished(tagged: Team) -> None:
    tagged.hub.fail("POST", r"/assets$", status=500, after=False, times=None)
    assert tagged(AUTHOR, "publish", "--to", "github").code == 3
    tagged.hub.heal()
    [release] = tagged.repo.releases
    assert release.draft
    assert tagged.repo.latest is None
    by = tagged.hub.user(AUTHOR)
    release.assets.append(Asset(7, "csv-tables.skill", b"hal", by, state="open"))

    tagged.ok(AUTHOR, "publish", "--to", "github")

    assert [release.draft for release in tagged.repo.releases] == [False]
    assert len(names(tagged)) == 7
    assert all(asset.state == "uploaded" for asset in release.assets)


def test_other_content_under_the_same_version_stays(tagged: Team) -> None:
    tagged.ok(AUTHOR, "publish", "--to", "github")
    [asset] = (a for a in tagged.repo.releases[0].assets if a.name == "manifest.json")
    asset.data = b"something else"

    ran = tagged(AUTHOR, "publish", "--to", "github")

    assert ran.code == 4
    assert "other content" in ran.err
    assert asset.data == b"something else"


def test_the_tag_has_to_be_there_and_the_same(team: Team) -> None:
    team.clone(AUTHOR)
    team.ok(AUTHOR, "release", "1.0.0")
    ran = team(AUTHOR, "publish", "--to", "github")
    assert ran.code == 4
    assert "git push origin v1.0.0" in ran.err
    team.repo.git("tag", "v1.0.0", "main")

    ran = team(AUTHOR, "publish", "--to", "github")

    assert ran.code == 4
    assert "differs from the local tag" in ran.err
    assert team.repo.releases == []


def test_the_highest_version_is_the_latest(tagged: Team) -> None:
    tagged.land("xlsx-tables", "one")
    tagged.clone(AUTHOR).git("fetch", "--quiet", str(tagged.repo.path), "main")
    clone = tagged.clone(AUTHOR)
    clone.git("update-ref", "refs/remotes/origin/main", "FETCH_HEAD")
    tagged.ok(AUTHOR, "release", "1.1.0")
    push(tagged, "v1.1.0")

    tagged.ok(AUTHOR, "publish", "--to", "github")
    tagged.ok(AUTHOR, "publish", "--to", "github", "v1.0.0")

    assert tagged.repo.latest is not None
    assert tagged.repo.latest.tag == "v1.1.0"
    tagged.repo.latest = next(
        release for release in tagged.repo.releases if release.tag == "v1.0.0"
    )
    tagged.ok(AUTHOR, "publish", "--to", "github")
    assert tagged.repo.latest.tag == "v1.1.0"


def test_users_without_write_access_get_an_error(tagged: Team) -> None:
    tagged.clone(REVIEWER).git("fetch", "--quiet", str(tagged.repo.path), "--tags")
    tagged.repo.roles[REVIEWER] = "read"

    ran = tagged(REVIEWER, "publish", "--to", "github")

    assert ran.code == 3
    assert "denies access" in ran.err
