import type { Client } from './service.js'

/** What a client delivered of a burst, and what it took. */
export interface BurstResult {
  readonly count: number
  readonly sum: number
  readonly cpuMicroseconds: number
  /** How often a timer of 1 ms ran meanwhile, and the longest time that it did not, in ms; where watched. */
  readonly ticks?: number
  readonly longestGap?: number
}

interface Burst {
  readonly frames: number
  readonly subscribers?: number
  /** For floors, which look at no price. */
  readonly countOnly?: boolean
  /** Whether to watch timers. */
  readonly timers?: boolean
}

/** Sends a burst as fast as the client takes it, and checks that all of it was delivered, each price to the bit. */
export const burst = async (
  { child, service }: Client,
  { frames, subscribers = 1, countOnly = false, timers = false }: Burst,
): Promise<BurstResult> => {
  await child.ask('expect', { deliveries: frames * subscribers, timers })
  const sent = await service.ask<{ readonly count: number; readonly sum: number }>('burst', {
    frames,
    subscribers,
  })
  const delivered = await child.ask<BurstResult>('delivered')
  if (delivered.count !== sent.count || (!countOnly && delivered.sum !== sent.sum)) {
    throw new Error(
      `sent ${sent.count} prices of ${sent.sum} in all, delivered ${delivered.count} of ${delivered.sum}`,
    )
  }
  return delivered
}

/**
 * Bursts like the one that is to be measured, until the compiler has done its work. Several, and each to its end: what
 * happens there for the first time has what was compiled thrown away.
 */
export const warmUp = async (client: Client, times: number, like: Burst): Promise<void> => {
  for (let time = 0; time < times; time += 1) await burst(client, like)
}

/** CPU per message of a burst, in µs, after as many like it as it takes. */
export const costAfter = async (client: Client, times: number, of: Burst): Promise<number> => {
  await warmUp(client, times, of)
  const { cpuMicroseconds } = await burst(client, of)
  return cpuMicroseconds / of.frames
}
