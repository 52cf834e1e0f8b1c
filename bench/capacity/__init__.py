"""What a core can do: closed loop, open loop, one worker and two, and how many pods follow. Loopback only."""
