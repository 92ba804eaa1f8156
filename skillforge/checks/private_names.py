"""Names that are private to a library or to this machine."""

import getpass
import platform
from contextlib import suppress

from skillforge.library import Library
from skillforge.policy import Policy
from skillforge.redact import KnownPrivate, people


def known_to(policy: Policy) -> KnownPrivate:
    """The names and ids that a policy lists as private."""
    return KnownPrivate.of({"NAME": policy.private_names}, policy.private_ids)


def private_to(library: Library) -> KnownPrivate:
    """The names in the policy, and those of the user and the machine."""
    policy = library.policy()
    users, hosts = [], [platform.node().partition(".")[0], platform.node()]
    with suppress(OSError, KeyError):
        users.append(getpass.getuser())
    names = {"NAME": policy.private_names, "USER": users, "HOST": hosts}
    own = {
        kind: [name for name in values if kind == "NAME" or not people.is_common(name)]
        for kind, values in names.items()
    }
    return KnownPrivate.of(own, policy.private_ids)
