from pathlib import Path

import pytest

from service.cli.bulk import CHUNK_LINES
from tests.cli.lines import line, write


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """More lines than one chunk has, all good."""
    return write(tmp_path / "in.ndjson", [line(number) for number in range(2 * CHUNK_LINES + 10)])
