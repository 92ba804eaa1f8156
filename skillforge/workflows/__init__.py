"""Whole verbs that span stages. What the command line, MCP and Python do is here.

Submodules are imported when they are first used: a command pays for its own only.
"""

from typing import TYPE_CHECKING

from skillforge.lazy_import import submodules

if TYPE_CHECKING:
    from skillforge.workflows import agent_changes as agent_changes
    from skillforge.workflows import assigned_skills as assigned_skills
    from skillforge.workflows import baseline as baseline
    from skillforge.workflows import brief as brief
    from skillforge.workflows import build as build
    from skillforge.workflows import canary as canary
    from skillforge.workflows import capture as capture
    from skillforge.workflows import catalog as catalog
    from skillforge.workflows import check as check
    from skillforge.workflows import completion as completion
    from skillforge.workflows import curate as curate
    from skillforge.workflows import diagnosis as diagnosis
    from skillforge.workflows import documents as documents
    from skillforge.workflows import draft as draft
    from skillforge.workflows import examples as examples
    from skillforge.workflows import export as export
    from skillforge.workflows import gate_report as gate_report
    from skillforge.workflows import health as health
    from skillforge.workflows import history as history
    from skillforge.workflows import hook_setup as hook_setup
    from skillforge.workflows import hooks as hooks
    from skillforge.workflows import import_pending as import_pending
    from skillforge.workflows import install as install
    from skillforge.workflows import lookup as lookup
    from skillforge.workflows import patterns as patterns
    from skillforge.workflows import promote as promote
    from skillforge.workflows import promoted as promoted
    from skillforge.workflows import proposals as proposals
    from skillforge.workflows import protect as protect
    from skillforge.workflows import publish as publish
    from skillforge.workflows import record as record
    from skillforge.workflows import refine as refine
    from skillforge.workflows import release as release
    from skillforge.workflows import review as review
    from skillforge.workflows import rules as rules
    from skillforge.workflows import scaffold as scaffold
    from skillforge.workflows import scan as scan
    from skillforge.workflows import skills as skills
    from skillforge.workflows import stats as stats
    from skillforge.workflows import submit as submit
    from skillforge.workflows import sync as sync
    from skillforge.workflows import sync_uses as sync_uses
    from skillforge.workflows import test as test
    from skillforge.workflows import use as use
    from skillforge.workflows import validate as validate
    from skillforge.workflows import waive as waive
    from skillforge.workflows import workspaces as workspaces
else:
    __getattr__ = submodules(__name__)
