"""Inert files: those that neither a browser nor a web server runs.

A hub is served by an unknown server, on the same origin as its pages. The server
derives a file's type from its name, from any of its extensions (Apache), or not at all:
then the browser inspects the first bytes. Some servers execute or obey certain files.
So both the name and the first bytes of a file must be harmless; a skill with any other
file is published in archives only.
"""

import re
from collections.abc import Mapping

from skillforge.model import DraftFile

# Types that servers send as text, media or downloads. Excluded: HTML, any XML, scripts
# and styles, PDF, and files that servers execute or unpack.
_INERT = re.compile(
    "md|markdown|mdx|txt|text|rst|adoc|org|tex|bib|csv|tsv|json|jsonl|"
    "ndjson|json5|yaml|yml|toml|ini|cfg|conf|properties|lock|log|diff|"
    "patch|sql|py|pyi|ipynb|sh|bash|zsh|fish|ps1|psm1|bat|cmd|rb|go|"
    "rs|java|kt|c|h|cc|cpp|hpp|cs|swift|scala|r|jl|lua|ex|exs|hs|"
    "clj|dart|vb|ts|tsx|jsx|tf|tfvars|hcl|proto|graphql|prisma|j2|"
    "jinja|tmpl|tpl|template|example|sample|png|jpg|jpeg|gif|webp|avif|"
    "bmp|ico|tif|tiff|mp3|mp4|wav|ogg|webm|ttf|otf|woff|woff2|docx|"
    "xlsx|pptx|odt|ods|odp|zip|tar|parquet|npy|db|sqlite|sqlite3"
)
# Extensions that count even if another one follows.
_ACTIVE = re.compile(
    r"[dsx]?html?\d?|xht|xml|xslt?|svgz?|rdf|rss|atom|mml|mathml|mht|mhtml|hta|htc|swf|"
    r"[cm]?js|css|wasm|pdf|php\d?|phps|phtml|phar|inc|cgi|fcgi|pl|aspx?|ashx|jspx?|var|"
    r"gz|z|br|zst"
)
_BLANK = b" \t\n\r\f\0\xef\xbb\xbf"  # that a browser skips before it detects the type
_PAGE = (b"<", b"%PDF")


def is_inert(files: Mapping[str, DraftFile]) -> bool:
    """Whether all files are inert."""
    return not active_file(files)


def active_file(files: Mapping[str, DraftFile]) -> str:
    """The first file that a browser or a server may run; empty if there is none."""
    return next(
        (path for path, file in sorted(files.items()) if _is_active(path, file.data)),
        "",
    )


def _is_active(path: str, data: bytes) -> bool:
    name = path.rpartition("/")[2].lower()
    _, *extensions = name.split(".")
    is_known = not extensions or _INERT.fullmatch(extensions[-1])
    return (
        name.startswith(".")  # .htaccess, .user.ini
        or not is_known
        or any(map(_ACTIVE.fullmatch, extensions))
        or data[:2048].lstrip(_BLANK).startswith(_PAGE)
    )
