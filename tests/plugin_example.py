"""The examples of docs/extend.md, installed as the packages of others."""

import re
from pathlib import Path

from tests.docs.page_parser import ROOT


def install_example(heading: str, site: Path) -> None:
    """Write the Python and TOML blocks of a section as a package in a folder."""
    page = (ROOT / "docs" / "extend.md").read_text(encoding="utf-8")
    section = re.split(r"^## ", page.split(f"\n## {heading}\n")[1], flags=re.M)[0]
    module = section.split("```python\n")[1].split("```")[0]
    table = section.split("```toml\n")[1].split("```")[0]
    group, entry = re.findall(r'"(skillforge\.\w+)"\]\n(.+)\n', table)[0]
    name, value = (part.strip(' "') for part in entry.split("="))
    info = site / f"{value.split(':')[0]}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\n")
    (info / "entry_points.txt").write_text(f"[{group}]\n{name} = {value}\n")
    (site / f"{value.split(':')[0]}.py").write_text(module)
