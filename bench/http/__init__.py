"""What a request costs: the service under load, and the floor below it. Loopback only; every run ends by itself."""
