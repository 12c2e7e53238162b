import { onTestFinished } from 'vitest'
import { seededRandom } from '../../../../src/simulator/market/seeded-random.js'
import { startScriptedService, type ServiceConnection } from '../../../support/network/scripted-service.js'
import { eventually } from '../../../support/time/eventually.js'
import { ethTopic } from '../../../support/tokens.js'

export interface NumberedService {
  readonly url: string
  /** The prices that were sent, in order, also if none was subscribed to. */
  readonly sent: readonly number[]
  /** Sends this price, and no further one. */
  readonly stop: (price: number) => void
}

/**
 * A service with one topic, which sends a price every 5 to 50 ms. `priceOf` returns the n-th price, from 1. It starts at
 * the first subscription. A later subscriber receives the last price at once.
 */
export const startService = async (priceOf: (n: number) => number): Promise<NumberedService> => {
  const random = seededRandom('pauses')
  const sent: number[] = []
  const subscribed = new Set<ServiceConnection>()
  let timer: NodeJS.Timeout | undefined
  const send = (price: number): void => {
    sent.push(price)
    for (const connection of subscribed) connection.sendPrice(ethTopic, price)
  }
  const run = (): void => {
    send(priceOf(sent.length + 1))
    timer = setTimeout(run, 5 + 45 * random())
  }
  const service = await startScriptedService({
    onSubscribe: (connection, topic) => {
      connection.sendConfirmation(topic)
      subscribed.add(connection)
      const last = sent.at(-1)
      if (last === undefined) timer ??= setTimeout(run)
      else connection.sendPrice(topic, last)
    },
  })
  onTestFinished(() => clearTimeout(timer))
  return {
    url: service.url,
    sent,
    stop: (price) => {
      clearTimeout(timer)
      send(price)
    },
  }
}

const joins = 6

/** The price after which a service sends no further one. */
export const lastPrice = 1_000_000

/** Starts a consumer at a random time, again and again. Resolves to what each has received after the last price. */
export const joinOften = async <A>(service: NumberedService, start: (index: number) => readonly A[]) => {
  const random = seededRandom('joins')
  await eventually(() => service.sent.length > 3)
  const started: (readonly A[])[] = []
  for (let index = 0; index < joins; index++) {
    const next = service.sent.length + 1 + 2 * random()
    await eventually(() => service.sent.length >= next)
    started.push(start(index))
  }
  const end = service.sent.length + 5
  await eventually(() => service.sent.length >= end)
  service.stop(lastPrice)
  return started
}
