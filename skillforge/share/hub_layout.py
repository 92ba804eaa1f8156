"""The paths of a hub's files."""

AGENT_SKILLS = ".well-known/agent-skills"
LEGACY = ".well-known/skills"
PACKAGES = "packages"
INDEX = f"{AGENT_SKILLS}/index.json"
LEGACY_INDEX = f"{LEGACY}/index.json"
INDEXES = (INDEX, LEGACY_INDEX)  # in the order in which clients try them
MANIFEST = "manifest.json"
SUMS = "SHA256SUMS"
PROVENANCE = "provenance.intoto.json"
MARKETPLACE = ".claude-plugin/marketplace.json"
GROUPS = "skills.sh.json"
FEED = "index.xml"
NO_JEKYLL = ".nojekyll"  # else GitHub Pages omits files that start with a dot


def archive_of(name: str) -> str:
    return f"{AGENT_SKILLS}/{name}.tar.gz"


def page_of(name: str) -> str:
    """The path of a skill that is only a SKILL.md."""
    return f"{AGENT_SKILLS}/{name}/SKILL.md"


def package_of(name: str) -> str:
    return f"{PACKAGES}/{name}.skill"


def legacy_of(name: str, path: str) -> str:
    return f"{LEGACY}/{name}/{path}"
