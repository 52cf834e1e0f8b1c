"""What a scrape shows."""

from prometheus_client.parser import text_string_to_metric_families

from tests.servers import Server


def count(server: Server, name: str, **labels: str) -> float:
    """The sum of the samples of that name that have these labels, as one scrape shows it."""
    text = server.call("GET", "/metrics", admin=True).text
    return sum(
        sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.name == name and labels.items() <= sample.labels.items()
    )
