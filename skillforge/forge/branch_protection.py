"""How a repository on GitHub has to be set up so that nobody talks their way around.

What is wanted is compared with what is there; the difference is a list of calls, which
can be made, printed, or told as drift.
"""

import base64
from collections.abc import Iterator
from typing import Any

from skillforge.errors import ConflictError
from skillforge.forge import SettingChange
from skillforge.forge.github_address import PUBLIC
from skillforge.forge.github_api import (
    ForbiddenError,
    GitHubApi,
    NotFoundError,
    RejectedError,
)
from skillforge.forge.github_clone import GitHubClone
from skillforge.forge.github_comments import LABELS
from skillforge.forge.pull_request import EXPIRED, GATE, Json
from skillforge.policy import POLICY_FILE, Policy
from skillforge.text import lines_of

TOPIC = "agent-skills"
_ACTIONS_APP = 15368  # GitHub Actions on github.com: nobody else may report the check
_CODEOWNERS = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")
_OWNED = ("/.github/", f"/{POLICY_FILE}", "/waivers.yaml")  # what judges skills
_EVERYTHING = ("*", "**", "/*", "/**")
_COLOURS = {"skill": "1d76db", EXPIRED: "cccccc"}
_RISKS = dict(zip(LABELS["risk"], ("0e8a16", "fbca04", "b60205"), strict=True))
# Of what the author of a pull request writes, only the title gets into a merge's
# message, as its first line, where it is no trailer.
_PAIR = {"merge_commit_title": "PR_TITLE", "merge_commit_message": "BLANK"}
# Only merge commits: a squash or a rebase would drop the proposal's commit, and with
# it the trailers.
_SETTINGS = {
    "allow_merge_commit": True,
    "allow_squash_merge": False,
    "allow_rebase_merge": False,
    "delete_branch_on_merge": True,
    **_PAIR,
}


def plan(
    hosted: GitHubClone, policy: Policy, owners: tuple[str, ...] | None
) -> list[SettingChange]:
    """The changes that are needed; none if all settings are right.

    The ruleset comes last: it would keep us from writing CODEOWNERS.
    """
    wire = hosted.wire
    owners = (default_owner(wire),) if owners is None else owners
    return [
        *_settings(wire),
        *_topic(wire),
        *_labels(wire),
        *_codeowners(wire, hosted.branch, owners),
        *_rulesets(hosted, policy),
    ]


def drift(hosted: GitHubClone, policy: Policy) -> list[str]:
    """What the settings lack, with all missing labels in one line."""
    changes = plan(hosted, policy, ())
    labels = [it.body["name"] for it in changes if it.path.endswith("/labels")]
    found = [it.why for it in changes if not it.path.endswith("/labels")]
    return [*found, f"labels are missing: {', '.join(labels)}"] if labels else found


def apply(wire: GitHubApi, calls: list[SettingChange]) -> None:
    for call in calls:
        try:
            wire.put(call.verb, call.path, call.body)
        except RejectedError as err:
            raise ConflictError(f"{call.why}; {err.message}", hint=_hint(call)) from err
        except ForbiddenError as err:
            raise ForbiddenError(
                err.message,
                hint="an admin has to do this; rulesets of a private repository need a "
                "paid plan",
            ) from err


def _hint(call: SettingChange) -> str:
    if "content" not in call.body:
        return "--dry-run shows the call; mend what it says, and run protect again"
    text = base64.b64decode(call.body["content"]).decode()
    name = call.path.partition("contents/")[2]
    branch = call.body["branch"]
    return f"bring it to {branch} by a pull request; {name} should say: {text}"


def default_owner(wire: GitHubApi) -> str:
    """Who owns the judge, if nobody is named: the account that the repository is of."""
    about: Json = wire.get(wire.place.path)
    if about["owner"]["type"] == "User":
        return f"@{about['owner']['login']}"
    return f"@{wire.get('/user')['login']}"


def _settings(wire: GitHubApi) -> Iterator[SettingChange]:
    about = wire.get(wire.place.path)
    # Who may not change a setting does not see it either.
    wrong = {k: v for k, v in _SETTINGS.items() if about.get(k, v) != v}
    if wrong.keys() & _PAIR.keys():
        wrong |= _PAIR  # GitHub takes the two only together
    if wrong:
        why = f"merge settings differ: {', '.join(wrong)}"
        yield SettingChange("PATCH", wire.place.path, wrong, why)


def _topic(wire: GitHubApi) -> Iterator[SettingChange]:
    path = f"{wire.place.path}/topics"
    names = wire.get(path)["names"]
    if TOPIC not in names:
        yield SettingChange(
            "PUT", path, {"names": [*names, TOPIC]}, f"no topic {TOPIC}"
        )


def _labels(wire: GitHubApi) -> Iterator[SettingChange]:
    path = f"{wire.place.path}/labels"
    there = {label["name"].casefold() for label in wire.pages(path)}
    wanted = _COLOURS | _RISKS
    wanted |= dict.fromkeys(LABELS["origin"], "c5def5")
    wanted |= dict.fromkeys(LABELS["action"], "d4c5f9")
    for name, colour in wanted.items():
        if name.casefold() not in there:
            yield SettingChange(
                "POST", path, {"name": name, "color": colour}, f"no label {name}"
            )


def _codeowners(
    wire: GitHubApi, branch: str, owners: tuple[str, ...]
) -> Iterator[SettingChange]:
    """People, not agents, decide on what judges skills."""
    path, there = _CODEOWNERS[0], None
    for candidate in _CODEOWNERS:
        try:
            there = wire.get(f"{wire.place.path}/contents/{candidate}", ref=branch)
        except NotFoundError:
            continue
        path = candidate
        break
    text = (
        base64.b64decode(there["content"]).decode("utf-8", "replace") if there else ""
    )
    wanted = _OWNED if path.startswith(".github/") else (*_OWNED, f"/{path}")
    missing = [owned for owned in wanted if not _is_owned(text, owned)]
    if not missing:
        return
    said = f"{text.rstrip()}\n" if text.strip() else ""
    said += "# What judges skills is changed by people only.\n"
    said += "".join(f"{owned} {' '.join(owners)}\n" for owned in missing)
    body = {
        "message": "Say who owns what judges skills",
        "content": base64.b64encode(said.encode()).decode(),
        "branch": branch,
    }
    body |= {"sha": there["sha"]} if there else {}
    why = f"{path} does not cover {', '.join(missing)}"
    yield SettingChange("PUT", f"{wire.place.path}/contents/{path}", body, why)


def _is_owned(text: str, owned: str) -> bool:
    """Whether a line of its own gives a path owners; of all lines the last decides."""
    is_owned = False
    rows = (line.partition("#")[0].split() for line in lines_of(text))
    for pattern, *owners in filter(None, rows):
        if pattern == owned:
            is_owned = bool(owners)
        elif pattern in _EVERYTHING:
            is_owned = False
        elif "*" in pattern or pattern.startswith(owned):
            is_owned = is_owned and bool(owners)
    return is_owned


def _rulesets(hosted: GitHubClone, policy: Policy) -> Iterator[SettingChange]:
    wire = hosted.wire
    path = f"{wire.place.path}/rulesets"
    own = wire.pages(path, includes_parents="false")
    there = {it["name"]: it["id"] for it in own}
    for wanted in (_main_rules(hosted, policy), _tag_rules()):
        name = wanted["name"]
        if name not in there:
            yield SettingChange("POST", path, wanted, f"there is no ruleset {name!r}")
            continue
        now = wire.get(f"{path}/{there[name]}")
        if wrong := list(_differences(wanted, now)):
            why = f"the ruleset {name!r} differs: {', '.join(wrong)}"
            yield SettingChange("PUT", f"{path}/{there[name]}", wanted, why)


def _main_rules(hosted: GitHubClone, policy: Policy) -> Json:
    check: Json = {"context": GATE}
    if hosted.place.host == PUBLIC:
        check["integration_id"] = _ACTIONS_APP
    review = {
        "required_approving_review_count": min(policy.approvals, 10),
        "dismiss_stale_reviews_on_push": True,
        "require_code_owner_review": True,
        "require_last_push_approval": policy.approvals > 0,
        "required_review_thread_resolution": False,
        "allowed_merge_methods": ["merge"],
    }
    checks = {
        "strict_required_status_checks_policy": True,
        "required_status_checks": [check],
    }
    rules: list[Json] = [
        {"type": "deletion"},
        {"type": "non_fast_forward"},
        {"type": "pull_request", "parameters": review},
        {"type": "required_status_checks", "parameters": checks},
    ]
    is_default = hosted.about.get("default_branch") == hosted.branch
    ref = "~DEFAULT_BRANCH" if is_default else f"refs/heads/{hosted.branch}"
    return _ruleset("skillforge: main", "branch", ref, rules)


def _tag_rules() -> Json:
    """A release is what it was: its tag neither moves nor goes."""
    rules = [{"type": kind} for kind in ("deletion", "non_fast_forward", "update")]
    return _ruleset("skillforge: releases", "tag", "refs/tags/v*", rules)


def _ruleset(name: str, target: str, ref: str, rules: list[Json]) -> Json:
    return {
        "name": name,
        "target": target,
        "enforcement": "active",
        "bypass_actors": [],
        "conditions": {"ref_name": {"include": [ref], "exclude": []}},
        "rules": rules,
    }


def _differences(wanted: Json, now: Json) -> Iterator[str]:
    """What of a ruleset is not as wanted; what GitHub adds to it is its own."""
    for key in ("target", "enforcement", "bypass_actors", "conditions"):
        if not _holds(wanted[key], now.get(key)):
            yield key
    rules = {rule["type"]: rule.get("parameters") or {} for rule in now["rules"]}
    for rule in wanted["rules"]:
        there = rules.get(rule["type"])
        if there is None or not _holds(rule.get("parameters", {}), there):
            yield rule["type"]


def _holds(wanted: Any, there: Any) -> bool:
    """Whether all that is wanted is there."""
    if isinstance(wanted, dict):
        return isinstance(there, dict) and all(
            _holds(value, there.get(key)) for key, value in wanted.items()
        )
    if isinstance(wanted, list) and wanted and isinstance(wanted[0], dict):
        return isinstance(there, list) and all(
            any(_holds(it, other) for other in there) for it in wanted
        )
    return bool(wanted == there) or (wanted == [] and not there)
