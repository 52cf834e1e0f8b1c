-- Sends the bodies of a file in turn, and writes one line of JSON about how that went.
local bodies = {}
for line in io.lines(os.getenv("BODIES")) do
  bodies[#bodies + 1] = line
end
local sent = 0

request = function()
  sent = sent % #bodies + 1
  return wrk.format("POST", wrk.path, { ["Content-Type"] = "application/json" }, bodies[sent])
end

done = function(summary, latency, _)
  local errors = summary.errors
  io.write(string.format(
    'RESULT {"requests": %d, "microseconds": %d, "failed": %d, "p50": %d, "p99": %d, "p999": %d}\n',
    summary.requests, summary.duration, errors.status + errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50), latency:percentile(99), latency:percentile(99.9)))
end
