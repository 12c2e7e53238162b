import { runningProcess, type Timer } from './process.js'

// The library takes its clocks and timers from the platform when a client is created: `src/time/system-clock.ts`. Here the
// platform is that of the simulated process whose code runs.

const names = [
  'Date',
  'performance',
  'setInterval',
  'clearInterval',
  'setTimeout',
  'clearTimeout',
  'setImmediate',
  'clearImmediate',
] as const

const clear = (timer: Timer | undefined): void => runningProcess().clear(timer)

const simulated: Readonly<Record<(typeof names)[number], unknown>> = {
  Date: class extends Date {
    static override now = () => runningProcess().wallClock
  },
  performance: { now: () => runningProcess().uptime },
  setInterval: (callback: () => void, ms?: number) => runningProcess().addTimer(callback, ms, true),
  clearInterval: clear,
  setTimeout: (callback: () => void, ms?: number) => runningProcess().addTimer(callback, ms, false),
  clearTimeout: clear,
  setImmediate: (callback: () => void) => runningProcess().addImmediate(callback),
  clearImmediate: clear,
}

/**
 * Replaces the clocks, the timers and the chance of the platform while `work` runs. `work` must not wait for anything real:
 * other code of this thread would get the simulated platform too.
 */
export const onSimulatedPlatform = async <A>(random: () => number, work: () => Promise<A>): Promise<A> => {
  const { random: realRandom } = Math
  const real = Object.fromEntries(names.map((name) => [name, globalThis[name]]))
  try {
    Object.assign(globalThis, simulated)
    Math.random = random
    return await work()
  } finally {
    Object.assign(globalThis, real)
    Math.random = realRandom
  }
}
