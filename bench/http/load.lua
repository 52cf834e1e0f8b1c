-- Sends the bodies of a file in turn, from the one numbered FIRST on, and tells in one line of JSON how that went.
local threads = {}
local requests = {}
local sent = tonumber(os.getenv("FIRST"))
failed = 0 -- not local: `done` reads it from the thread

function setup(thread)
  threads[#threads + 1] = thread
end

function init()
  for line in io.lines(os.getenv("BODIES")) do
    local path, body = line:match("^(/%S*) (.*)$")
    requests[#requests + 1] = wrk.format("POST", path or wrk.path, { ["Content-Type"] = "application/json" }, body or line)
  end
end

function request()
  sent = sent + 1
  return requests[(sent - 1) % #requests + 1]
end

-- wrk itself only counts from 400 up.
function response(status)
  if status ~= 200 then
    failed = failed + 1
  end
end

function done(summary, latency)
  local errors = summary.errors
  local count = errors.connect + errors.read + errors.write + errors.timeout
  for _, thread in ipairs(threads) do
    count = count + thread:get("failed")
  end
  io.write(string.format(
    'RESULT {"requests": %d, "bytes": %d, "microseconds": %d, "failed": %d, "p50": %d, "p99": %d, "p999": %d}\n',
    summary.requests, summary.bytes, summary.duration, count,
    latency:percentile(50), latency:percentile(99), latency:percentile(99.9)))
end
