"""Whatever is asked, a worker holds no more in the end than after the warm-up."""

from tests.heavy.faults.conftest import tell
from tests.heavy.faults.soak import soak

REQUESTS = 50_000
# What the allocator's own pools come to; a leak of one small object a request would be twice that.
NOISE_MEGABYTES = 3


def test_memory_is_flat_after_the_warm_up() -> None:
    done = soak(REQUESTS)
    counts = {"sent": done.sent, "good": done.sent - sum(done.failed.values()), "failed": done.failed}
    more = (
        f"{done.dropped} connections broken off; {done.growth:+.2f} MB after the warm-up, {done.memory[-1][1]:.0f} MB"
    )
    tell("soak", counts, more)
    assert done.failed == {}
    assert done.growth < NOISE_MEGABYTES
