"""A load test by locust that checks every answer. Here and in `mix` nothing imports locust, which patches Python."""
