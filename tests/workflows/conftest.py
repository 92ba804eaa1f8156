"""Workflows start from the loop, as the tests of `propose` drive it."""

from tests.propose.conftest import loop as loop  # a fixture
