"""Check skills from Python, and accept findings."""

from typing import TYPE_CHECKING

from skillforge import workflows
from skillforge.api.learn_methods import LearnMethods

if TYPE_CHECKING:
    from skillforge.checks.cases.case_run import TestResults
    from skillforge.checks.scan.scan_run import ScanResults
    from skillforge.model import Profile, Report
    from skillforge.propose.submit import Submission
    from skillforge.workflows.baseline import BaselineReport
    from skillforge.workflows.check import FullCheck
    from skillforge.workflows.rules import RulePages
    from skillforge.workflows.validate import Validation


class CheckMethods(LearnMethods):
    """The methods of a library that check its skills."""

    def validate(self, *targets: str, profile: "Profile | None" = None) -> "Report":
        """Check skills of the checkout, or folders; all skills if none is named."""
        selection = workflows.validate.Selection(targets)
        return workflows.validate.validate(self.root, selection, profile).report

    def fix(self, *targets: str, write: bool = False) -> "Validation":
        """Fix what has one right answer; without `write`, only compute the fixes."""
        selection = workflows.validate.Selection(targets)
        return workflows.validate.validate(self.root, selection, fix=True, write=write)

    def scan(self, *targets: str, base: str = "") -> "ScanResults":
        """Find attacks, leaks and hidden text; `base` is an older version."""
        selection = workflows.scan.Selection(targets)
        return workflows.scan.scan(self.root, selection, base)

    def test(self, *targets: str) -> "TestResults":
        """Run the cases of skills in a sandbox."""
        selection = workflows.test.Selection(targets)
        return workflows.test.run_cases(self.root, selection)

    def check(self, *targets: str) -> "FullCheck":
        """Validate, scan and test skills in one run."""
        return workflows.check.check(self.root, workflows.check.Selection(targets))

    def rules(self, rule_id: str = "") -> "RulePages":
        """The manual of a rule, or of all rules."""
        if rule_id:
            return workflows.rules.explain(rule_id, self.root)
        return workflows.rules.list_rules(self.root)

    def baseline(
        self, *names: str, add: bool = False, prune: bool = False
    ) -> "BaselineReport":
        """Record the findings of HEAD, or compare them with those recorded before."""
        return workflows.baseline.baseline(self._files(), names, add=add, prune=prune)

    def waive(self, rule: str, name: str, why: str, *, until: str = "") -> "Submission":
        """Propose to accept a finding of the scan in a skill."""
        request = workflows.waive.WaiveRequest(rule, name, why, until=until)
        [submission] = workflows.waive.waive(self._workspace(), request).submissions
        return submission
