"""The `data` of `--json`, typed: one function per result. Keys are never renamed."""

from typing import TYPE_CHECKING

from skillforge.lazy_import import submodules

if TYPE_CHECKING:
    from skillforge.render.data import baseline as baseline
    from skillforge.render.data import brief as brief
    from skillforge.render.data import capture as capture
    from skillforge.render.data import checks as checks
    from skillforge.render.data import curate as curate
    from skillforge.render.data import draft as draft
    from skillforge.render.data import examples as examples
    from skillforge.render.data import export as export
    from skillforge.render.data import health as health
    from skillforge.render.data import history as history
    from skillforge.render.data import hook as hook
    from skillforge.render.data import hosted as hosted
    from skillforge.render.data import install as install
    from skillforge.render.data import offers as offers
    from skillforge.render.data import patterns as patterns
    from skillforge.render.data import proposals as proposals
    from skillforge.render.data import publish as publish
    from skillforge.render.data import refine as refine
    from skillforge.render.data import release as release
    from skillforge.render.data import rollouts as rollouts
    from skillforge.render.data import setup as setup
    from skillforge.render.data import skills as skills
    from skillforge.render.data import stats as stats
    from skillforge.render.data import trials as trials
    from skillforge.render.data import uses as uses
else:
    __getattr__ = submodules(__name__)
