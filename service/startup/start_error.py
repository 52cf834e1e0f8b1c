"""Start error: why the service cannot start."""


class StartError(Exception):
    """The service cannot start; `faults` has one line for each thing that is wrong."""

    def __init__(self, faults: list[str]) -> None:
        # The argument as it is given: a process of a pool pickles it.
        super().__init__(faults)
        self.faults = faults

    def __str__(self) -> str:
        return "\n".join(["showcheck cannot start:", *(f"  {fault}" for fault in self.faults)])
