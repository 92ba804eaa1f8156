"""Where everything of a hub lies, seen from its top."""

AGENT_SKILLS = ".well-known/agent-skills"
LEGACY = ".well-known/skills"
PACKAGES = "packages"
INDEX = f"{AGENT_SKILLS}/index.json"
LEGACY_INDEX = f"{LEGACY}/index.json"
MANIFEST = "manifest.json"
SUMS = "SHA256SUMS"
PROVENANCE = "provenance.intoto.json"
MARKETPLACE = ".claude-plugin/marketplace.json"
GROUPS = "skills.sh.json"
FEED = "index.xml"
NO_JEKYLL = ".nojekyll"  # GitHub Pages would leave out what starts with a dot


def archive_of(name: str) -> str:
    return f"{AGENT_SKILLS}/{name}.tar.gz"


def page_of(name: str) -> str:
    """The SKILL.md of a skill that has no other file."""
    return f"{AGENT_SKILLS}/{name}/SKILL.md"


def package_of(name: str) -> str:
    return f"{PACKAGES}/{name}.skill"


def legacy_of(name: str, path: str) -> str:
    return f"{LEGACY}/{name}/{path}"
