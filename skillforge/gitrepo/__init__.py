"""All git. The only package that runs git or imports GitPython."""

from typing import TYPE_CHECKING

from skillforge.lazy_import import lazily

if TYPE_CHECKING:
    from skillforge.gitrepo.git_command import environment, version
    from skillforge.gitrepo.git_files import find_root
    from skillforge.gitrepo.pending_query import PendingQuery
    from skillforge.gitrepo.repository import GitRepo
    from skillforge.gitrepo.trees import TreeFile

_PARTS = {
    "git_files": ("find_root",),
    "pending_query": ("PendingQuery",),
    "repository": ("GitRepo",),
    "git_command": ("environment", "version"),
    "trees": ("TreeFile",),
}
__getattr__ = lazily(__name__, _PARTS)
__all__ = ["GitRepo", "PendingQuery", "TreeFile", "environment", "find_root", "version"]
