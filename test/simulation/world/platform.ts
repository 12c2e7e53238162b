import { node } from '../../../src/wire/platform/node.js'
import { runningProcess, type Timer } from './process.js'

// The library takes its clocks and timers from the platform when a client is created: `src/base/time/clock.ts`. Here the
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

/** Clients register with diagnostics until they are closed. That of a killed process is not, and would remain in memory. */
const unregistered = { addSource: () => () => undefined }

/**
 * Replaces the clocks, the timers, the chance and the diagnostics of the platform while `work` runs. `work` must not
 * wait for anything real: other code of this thread would get the simulated platform too.
 */
export const onSimulatedPlatform = async <A>(random: () => number, work: () => Promise<A>): Promise<A> => {
  const { random: realRandom } = Math
  const { addSource } = node
  const real = Object.fromEntries(names.map((name) => [name, globalThis[name]]))
  try {
    Object.assign(globalThis, simulated)
    Math.random = random
    Object.assign(node, unregistered)
    return await work()
  } finally {
    Object.assign(globalThis, real)
    Math.random = realRandom
    Object.assign(node, { addSource })
  }
}
