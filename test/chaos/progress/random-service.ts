import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { seededRandom } from '../../../src/simulator/market/seeded-random.js'
import type { Base } from '../price-frame.js'

/** Something that the service received or sent. `at` is on the clock of `monotonicMs`. */
export interface ServiceEvent {
  /** `answered`: the service sent a confirmation or a price of the topic. */
  readonly kind: 'opened' | 'closed' | 'subscribe' | 'unsubscribe' | 'answered'
  readonly at: number
  readonly connection: number
  readonly base?: Base
}

export interface ServiceReport {
  readonly log: readonly ServiceEvent[]
  /** The subscribed topics of all connections. */
  readonly subscribed: readonly Base[]
  /** The number of answers and subscriptions that the service has delayed: it will send or change something. */
  readonly delayed: number
}

export interface RandomService extends AsyncDisposable {
  readonly url: string
  /**
   * `becomeReliable`: the service accepts each subscribe frame from now on; what it has delayed still happens.
   * `drop`: the service terminates its connections.
   */
  readonly run: (command: 'report' | 'becomeReliable' | 'drop') => Promise<ServiceReport>
}

/** The time in ms, on a clock that all threads share. */
export const monotonicMs = (): number => performance.timeOrigin + performance.now()

/**
 * A price service that answers at random: late, never, by error texts with and without a topic, in any order. It runs
 * in its own thread, so that it sends frames while the client's event loop is blocked.
 */
export const startRandomService = async (seed: number, confirmTimeout: number): Promise<RandomService> => {
  const random = seededRandom(`random service ${seed}`)
  const randomNumbers = Array.from({ length: 10_007 }, random)
  const worker = new Worker(new URL('./random-service-thread.mjs', import.meta.url), {
    workerData: { randomNumbers, confirmTimeout },
  })
  const [port] = (await once(worker, 'message')) as [number]
  let last: Promise<unknown> = Promise.resolve()
  const request = async (command: string): Promise<ServiceReport> => {
    worker.postMessage(command)
    const [report] = (await once(worker, 'message')) as [ServiceReport]
    return report
  }
  return {
    url: `ws://127.0.0.1:${port}`,
    run: (command) => {
      // One command at a time: a report does not name its command.
      const report = last.then(() => request(command))
      last = report
      return report
    },
    [Symbol.asyncDispose]: async () => {
      await worker.terminate()
    },
  }
}
