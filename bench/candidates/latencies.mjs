// For frames whose price is the time at which they were sent: how long each took to its handler.

/** The clock that all processes of a machine share, in ms. */
const now = () => {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1e3 + nanoseconds / 1e6
}

export const createLatencies = () => {
  let latencies
  let count = 0
  let result
  let reached

  return {
    onPrice: (sentAt) => {
      latencies[count] = now() - sentAt
      count += 1
      if (count === latencies.length) reached()
    },
    expect: ({ deliveries }) => {
      latencies = new Float64Array(deliveries)
      count = 0
      result = new Promise((resolve) => {
        reached = resolve
      })
    },
    delivered: async () => {
      await result
      latencies.sort()
      const at = (share) => latencies[Math.min(count - 1, Math.floor(share * count))]
      return { count, p50: at(0.5), p99: at(0.99) }
    },
  }
}
