// Counts and adds up what is delivered, and takes the process's CPU time over a burst.

/** How often timers are asked to run during a burst, in ms. */
const timerPeriod = 1

export const createTally = () => {
  let count = 0
  let sum = 0
  let target = 0
  let reached
  let result

  const done = () => reached()

  return {
    onPrice: (price) => {
      count += 1
      sum += price
      if (count === target) done()
    },
    /** For the floors, which look at frames and not into them. */
    onFrames: (frames) => {
      const before = count
      count += frames
      if (before < target && count >= target) done()
    },
    expect: ({ deliveries, timers: watched }) => {
      count = 0
      sum = 0
      target = deliveries
      const timers = watched ? watchTimers() : () => undefined
      const cpu = process.cpuUsage()
      result = new Promise((resolve) => {
        reached = () => {
          const { user, system } = process.cpuUsage(cpu)
          resolve({ cpuMicroseconds: user + system, ...timers() })
        }
      })
    },
    // Asked for late: whatever came too much has been counted by then.
    delivered: async () => ({ ...(await result), count, sum }),
  }
}

/** Whether timers run meanwhile: how often, and the longest time that they did not, in ms. */
const watchTimers = () => {
  let ticks = 0
  let last = performance.now()
  let longestGap = 0
  const tick = () => {
    const now = performance.now()
    longestGap = Math.max(longestGap, now - last)
    last = now
  }
  const timer = setInterval(() => {
    ticks += 1
    tick()
  }, timerPeriod)
  return () => {
    clearInterval(timer)
    tick()
    return { ticks, longestGap }
  }
}
