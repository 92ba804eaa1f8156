"""A picture of the body of a pull request, rendered as GitHub's Markdown."""

from pathlib import Path

from markdown_it import MarkdownIt
from playwright.sync_api import Browser

from skillforge.propose import review_page
from skillforge.propose.workspace import Workspace
from tests.pictures.window import shoot

_STYLE = """
body { font: 14px/1.5 system-ui, sans-serif; color: #1f2328; margin: 24px; }
main { border: 1px solid #d1d9e0; border-radius: 6px; padding: 16px; }
table { border-collapse: collapse; margin: 8px 0 16px; }
th, td { border: 1px solid #d1d9e0; padding: 5px 12px; text-align: left; }
tr:nth-child(2n) td { background: #f6f8fa; }
code { background: #eff1f3; border-radius: 6px; padding: .2em .4em; font-size: 85%; }
pre { background: #f6f8fa; border-radius: 6px; padding: 12px; }
pre code { background: none; padding: 0; }
h1, h2, h3 { border-bottom: 1px solid #d1d9e0; padding-bottom: .2em; font-size: 18px; }
blockquote { border-left: 4px solid #d1d9e0; margin: 0; padding: 0 1em; }
"""


def take(browser: Browser, library: Path, number: int, work: Path, image: Path) -> None:
    """What a reviewer reads of a proposal in a library."""
    workspace = Workspace.at(library)
    forge = workspace.forge
    body = review_page.of(workspace, forge.get(number)).text
    html = MarkdownIt("gfm-like", {"html": True}).render(body)
    file = work / "pull-request.html"
    head = f"<!doctype html><meta charset=utf-8><style>{_STYLE}</style>"
    file.write_text(f"{head}<main>{html}</main>", encoding="utf-8")
    shoot(browser, file, image, (960, 900))
