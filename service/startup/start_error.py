"""Start error: why the service cannot start."""


class StartError(Exception):
    """The service cannot start; `faults` has one line for each thing that is wrong."""

    def __init__(self, faults: list[str]) -> None:
        super().__init__("\n".join(["showcheck cannot start:", *(f"  {fault}" for fault in faults)]))
        self.faults = faults
