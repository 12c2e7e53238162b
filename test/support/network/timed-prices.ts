import { isLeft } from 'fp-ts/lib/Either.js'
import type { PriceClient, PriceError } from 'svc-streams'
import { onTestFinished } from 'vitest'
import { startScriptedService } from './scripted-service.js'
import { ethTopic } from '../tokens.js'

// Prices whose value is the time at which they were sent, so that a test measures their age.

/** A service that sends a price to each subscriber every 5 ms. */
export const startTimedService = (answersPings = true) => {
  const timers: NodeJS.Timeout[] = []
  onTestFinished(() => timers.forEach((timer) => clearInterval(timer)))
  return startScriptedService({
    answersPings,
    onSubscribe: (connection, topic) => {
      connection.sendConfirmation(topic)
      // A probe subscribes again.
      if (connection.receivedMessages.length > 1) return
      timers.push(setInterval(() => connection.sendPrice(topic, performance.now()), 5))
    },
  })
}

/** The age of the oldest price so far, in ms, the number of prices, and the failures. */
export interface MeasuredAges {
  oldest: number
  prices: number
  readonly errors: PriceError[]
}

export const measureAges = (client: PriceClient): MeasuredAges => {
  const ages: MeasuredAges = { oldest: 0, prices: 0, errors: [] }
  client.price$(ethTopic).subscribe((event) => {
    if (isLeft(event)) return void ages.errors.push(event.left)
    ages.oldest = Math.max(ages.oldest, performance.now() - event.right.price)
    ages.prices++
  })
  return ages
}

/** True if a failure says that prices may be older than `maxLag`, in ms. */
export const isBehind =
  (maxLag: number) =>
  (error: PriceError): boolean =>
    error._tag === 'Stale' && (error.behindMs ?? 0) > maxLag
