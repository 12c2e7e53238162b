// Records the latency of prices whose value is the time at which the server sent them.

/** A clock that all processes of a machine share, in ms. */
const now = () => {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1e3 + nanoseconds / 1e6
}

export const createLatencyRecorder = () => {
  let latencies
  let count = 0
  let complete
  let completed

  return {
    onPrice: (sentAt) => {
      latencies[count] = now() - sentAt
      count += 1
      if (count === latencies.length) complete()
    },
    start: ({ deliveries }) => {
      latencies = new Float64Array(deliveries)
      count = 0
      completed = new Promise((resolve) => {
        complete = resolve
      })
    },
    result: async () => {
      await completed
      latencies.sort()
      const percentile = (share) => latencies[Math.min(count - 1, Math.floor(share * count))]
      return { count, p50: percentile(0.5), p99: percentile(0.99) }
    },
  }
}
