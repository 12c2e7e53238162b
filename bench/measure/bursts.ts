import { subscribe, type ConnectedClient } from './price-service.js'

/** The prices of a burst that a client delivered, and its CPU time. */
export interface BurstResult {
  readonly count: number
  readonly sum: number
  readonly cpuMicroseconds: number
  /** Number of runs of a timer of 1 ms during the burst; undefined unless `timers` is set. */
  readonly ticks?: number
  /** Longest time between two runs of that timer, in ms; undefined unless `timers` is set. */
  readonly longestGap?: number
}

interface Burst {
  readonly frames: number
  readonly subscribers?: number
  /** For the lower bounds, which do not read prices. */
  readonly countOnly?: boolean
  /** True to measure timers during the burst. */
  readonly timers?: boolean
}

/** Sends a burst as fast as the client reads it. Throws unless the client delivers each price exactly. */
export const sendBurst = async (
  { child, service }: ConnectedClient,
  { frames, subscribers = 1, countOnly = false, timers = false }: Burst,
): Promise<BurstResult> => {
  await child.request('start', { deliveries: frames * subscribers, timers })
  const sent = await service.request<{ readonly count: number; readonly sum: number }>('sendBurst', {
    frames,
    subscribers,
  })
  const delivered = await child.request<BurstResult>('result')
  if (delivered.count !== sent.count || (!countOnly && delivered.sum !== sent.sum)) {
    throw new Error(
      `sent ${sent.count} prices with sum ${sent.sum}, delivered ${delivered.count} with sum ${delivered.sum}`,
    )
  }
  return delivered
}

/**
 * Sends complete bursts like the measured one, until V8 has optimized the client. Several are needed, because the end of
 * the first burst runs new code, which deoptimizes.
 */
export const warmUp = async (client: ConnectedClient, bursts: number, burst: Burst): Promise<void> => {
  for (let sent = 0; sent < bursts; sent += 1) await sendBurst(client, burst)
}

/** CPU per message of a burst, in µs, after a warm-up. */
export const measureCpuPerMessage = async (
  client: ConnectedClient,
  warmUpBursts: number,
  burst: Burst,
): Promise<number> => {
  await warmUp(client, warmUpBursts, burst)
  const { cpuMicroseconds } = await sendBurst(client, burst)
  return cpuMicroseconds / burst.frames
}

/**
 * CPU per message of a burst, in µs, after the client has subscribed to topics and warmed up. `activeTopics`: how many of them
 * get prices, all by default.
 */
export const subscribeAndMeasureCpu = async (
  client: ConnectedClient,
  topics: number,
  warmUpBursts: number,
  burst: Burst,
  activeTopics = topics,
): Promise<number> => {
  await subscribe(client, { to: topics, subscribers: burst.subscribers ?? 1 })
  await client.service.request('prepareFrames', { topics: activeTopics })
  return measureCpuPerMessage(client, warmUpBursts, burst)
}
