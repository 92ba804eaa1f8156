"""Results as text for a terminal: one function per result."""

from typing import TYPE_CHECKING

from skillforge.lazy_import import submodules

if TYPE_CHECKING:
    from skillforge.render.text import baseline as baseline
    from skillforge.render.text import brief as brief
    from skillforge.render.text import capture as capture
    from skillforge.render.text import checks as checks
    from skillforge.render.text import curate as curate
    from skillforge.render.text import draft as draft
    from skillforge.render.text import examples as examples
    from skillforge.render.text import export as export
    from skillforge.render.text import health as health
    from skillforge.render.text import history as history
    from skillforge.render.text import hook as hook
    from skillforge.render.text import hosted as hosted
    from skillforge.render.text import install as install
    from skillforge.render.text import offers as offers
    from skillforge.render.text import patterns as patterns
    from skillforge.render.text import proposals as proposals
    from skillforge.render.text import publish as publish
    from skillforge.render.text import refine as refine
    from skillforge.render.text import release as release
    from skillforge.render.text import rollouts as rollouts
    from skillforge.render.text import scan as scan
    from skillforge.render.text import setup as setup
    from skillforge.render.text import skills as skills
    from skillforge.render.text import stats as stats
    from skillforge.render.text import trials as trials
    from skillforge.render.text import uses as uses
else:
    __getattr__ = submodules(__name__)
