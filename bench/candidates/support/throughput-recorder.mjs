// Counts and sums the delivered prices of a burst, and measures the CPU time of the process.

/** Period of the timer that runs during a burst, in ms. */
const timerPeriod = 1

export const createThroughputRecorder = () => {
  let count = 0
  let sum = 0
  let target = 0
  let complete
  let completed

  const reached = () => complete()

  return {
    onPrice: (price) => {
      count += 1
      sum += price
      if (count === target) reached()
    },
    /** For the lower bounds, which do not read prices. */
    onFrames: (frames) => {
      const before = count
      count += frames
      if (before < target && count >= target) reached()
    },
    start: ({ deliveries, timers: measureTimers }) => {
      count = 0
      sum = 0
      target = deliveries
      const stopTimer = measureTimers ? startTimer() : () => undefined
      const cpu = process.cpuUsage()
      completed = new Promise((resolve) => {
        complete = () => {
          const { user, system } = process.cpuUsage(cpu)
          resolve({ cpuMicroseconds: user + system, ...stopTimer() })
        }
      })
    },
    // Reads count and sum after the wait, so that surplus prices are included.
    result: async () => ({ ...(await completed), count, sum }),
  }
}

/** Starts a timer. Returns a function that stops it, and returns its number of runs and the longest gap in ms. */
const startTimer = () => {
  let ticks = 0
  let last = performance.now()
  let longestGap = 0
  const updateGap = () => {
    const now = performance.now()
    longestGap = Math.max(longestGap, now - last)
    last = now
  }
  const timer = setInterval(() => {
    ticks += 1
    updateGap()
  }, timerPeriod)
  return () => {
    clearInterval(timer)
    updateGap()
    return { ticks, longestGap }
  }
}
