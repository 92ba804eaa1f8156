"""Settings that make GitHub enforce review of skills.

The wanted settings are compared with the current ones. The difference is a list of API
calls, which can be made, printed, or reported as drift.
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
from skillforge.model import BASELINE_FILE
from skillforge.policy import POLICY_FILE, Policy
from skillforge.text import lines_of

TOPIC = "agent-skills"
_ACTIONS_APP = 15368  # GitHub Actions on github.com: only it may report the check
_CODEOWNERS = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS")
_OWNED = ("/.github/", f"/{POLICY_FILE}", "/waivers.yaml", f"/{BASELINE_FILE}")
_EVERYTHING = ("*", "**", "/*", "/**")
_COLOURS = {"skill": "1d76db", EXPIRED: "cccccc"}
_RISKS = dict(zip(LABELS["risk"], ("0e8a16", "fbca04", "b60205"), strict=True))
# Only the title of a pull request becomes part of the merge message: its first line
# can't be a trailer.
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
    """The changes that are needed.

    The rulesets come last: they would keep us from writing CODEOWNERS.
    """
    api = hosted.api
    owners = (default_owner(api),) if owners is None else owners
    return [
        *_settings(api),
        *_topic(api),
        *_labels(api),
        *_codeowners(api, hosted.branch, owners),
        *_rulesets(hosted, policy),
    ]


def drift(hosted: GitHubClone, policy: Policy) -> list[str]:
    """The settings that differ; all missing labels are in one line."""
    changes = plan(hosted, policy, ())
    labels = [c.body["name"] for c in changes if c.path.endswith("/labels")]
    others = [c.why for c in changes if not c.path.endswith("/labels")]
    return [*others, f"labels are missing: {', '.join(labels)}"] if labels else others


def apply(api: GitHubApi, calls: list[SettingChange]) -> None:
    for call in calls:
        try:
            api.put(call.verb, call.path, call.body)
        except RejectedError as err:
            raise ConflictError(f"{call.why}; {err.message}", hint=_hint(call)) from err
        except ForbiddenError as err:
            raise ForbiddenError(
                err.message,
                hint="this needs an administrator; rulesets of a private repository "
                "need a paid plan",
            ) from err


def _hint(call: SettingChange) -> str:
    if "content" not in call.body:
        return "--dry-run shows the call; fix the problem, and run protect again"
    text = base64.b64decode(call.body["content"]).decode()
    name = call.path.partition("contents/")[2]
    branch = call.body["branch"]
    return f"add it to {branch} with a pull request; {name} should be: {text}"


def default_owner(api: GitHubApi) -> str:
    """The default code owner: the account that owns the repository, else the user."""
    about: Json = api.get(api.place.path)
    if about["owner"]["type"] == "User":
        return f"@{about['owner']['login']}"
    return f"@{api.get('/user')['login']}"


def _settings(api: GitHubApi) -> Iterator[SettingChange]:
    about = api.get(api.place.path)
    # A user who may not change a setting does not see it either.
    wrong = {k: v for k, v in _SETTINGS.items() if about.get(k, v) != v}
    if wrong.keys() & _PAIR.keys():
        wrong |= _PAIR  # GitHub accepts the two only together
    if wrong:
        why = f"merge settings differ: {', '.join(wrong)}"
        yield SettingChange("PATCH", api.place.path, wrong, why)


def _topic(api: GitHubApi) -> Iterator[SettingChange]:
    path = f"{api.place.path}/topics"
    names = api.get(path)["names"]
    if TOPIC not in names:
        yield SettingChange(
            "PUT", path, {"names": [*names, TOPIC]}, f"no topic {TOPIC}"
        )


def _labels(api: GitHubApi) -> Iterator[SettingChange]:
    path = f"{api.place.path}/labels"
    existing = {label["name"].casefold() for label in api.pages(path)}
    colours = _COLOURS | _RISKS
    colours |= dict.fromkeys(LABELS["origin"], "c5def5")
    colours |= dict.fromkeys(LABELS["action"], "d4c5f9")
    for name, colour in colours.items():
        if name.casefold() not in existing:
            yield SettingChange(
                "POST", path, {"name": name, "color": colour}, f"no label {name}"
            )


def _codeowners(
    api: GitHubApi, branch: str, owners: tuple[str, ...]
) -> Iterator[SettingChange]:
    """Policy and workflows need the approval of code owners."""
    path, existing = _CODEOWNERS[0], None
    for candidate in _CODEOWNERS:
        try:
            existing = api.get(f"{api.place.path}/contents/{candidate}", ref=branch)
        except NotFoundError:
            continue
        path = candidate
        break
    content = base64.b64decode(existing["content"]) if existing else b""
    text = content.decode("utf-8", "replace")
    paths = _OWNED if path.startswith(".github/") else (*_OWNED, f"/{path}")
    missing = [owned for owned in paths if not _is_owned(text, owned)]
    if not missing:
        return
    new = f"{text.rstrip()}\n" if text.strip() else ""
    new += "# Only people may change what decides about skills.\n"
    new += "".join(f"{owned} {' '.join(owners)}\n" for owned in missing)
    body = {
        "message": "Add owners of policy and workflows",
        "content": base64.b64encode(new.encode()).decode(),
        "branch": branch,
    }
    body |= {"sha": existing["sha"]} if existing else {}
    why = f"{path} does not cover {', '.join(missing)}"
    yield SettingChange("PUT", f"{api.place.path}/contents/{path}", body, why)


def _is_owned(text: str, owned: str) -> bool:
    """Whether a separate line gives a path owners; the last matching line counts."""
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
    api = hosted.api
    path = f"{api.place.path}/rulesets"
    existing = {
        ruleset["name"]: ruleset["id"]
        for ruleset in api.pages(path, includes_parents="false")
    }
    for ruleset in (_main_rules(hosted, policy), _tag_rules()):
        name = ruleset["name"]
        if name not in existing:
            yield SettingChange("POST", path, ruleset, f"there is no ruleset {name!r}")
            continue
        current = api.get(f"{path}/{existing[name]}")
        if wrong := list(_differences(ruleset, current)):
            why = f"the ruleset {name!r} differs: {', '.join(wrong)}"
            yield SettingChange("PUT", f"{path}/{existing[name]}", ruleset, why)


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
    """Tags of releases can be neither moved nor deleted."""
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


def _differences(target: Json, current: Json) -> Iterator[str]:
    """The parts of a ruleset that differ; GitHub may add others."""
    for key in ("target", "enforcement", "bypass_actors", "conditions"):
        if not _contains(current.get(key), target[key]):
            yield key
    rules = {rule["type"]: rule.get("parameters") or {} for rule in current["rules"]}
    for rule in target["rules"]:
        existing = rules.get(rule["type"])
        if existing is None or not _contains(existing, rule.get("parameters", {})):
            yield rule["type"]


def _contains(current: Any, target: Any) -> bool:
    """Whether a setting has at least the target's values."""
    if isinstance(target, dict):
        return isinstance(current, dict) and all(
            _contains(current.get(key), value) for key, value in target.items()
        )
    if isinstance(target, list) and target and isinstance(target[0], dict):
        return isinstance(current, list) and all(
            any(_contains(other, item) for other in current) for item in target
        )
    return bool(target == current) or (target == [] and not current)
