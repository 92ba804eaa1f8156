"""Jobs in containers."""

from skillforge.sandbox import Ended, Job


class Container:
    def __init__(self, name: str) -> None:
        self.name = name

    def about(self) -> str:
        return ""

    def gaps(self) -> list[str]:
        return ["not yet"]

    def run(self, job: Job) -> Ended:
        raise NotImplementedError
