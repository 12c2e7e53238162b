import { left, right } from 'fp-ts/lib/Either.js'
import type { Topic } from '../domain/topic.js'
import { stale, subscriptionRejected } from '../errors/constructors.js'
import type { PriceError } from '../errors/model.js'
import { shortened } from '../errors/text.js'
import {
  isStale,
  lastQuote,
  silentAt,
  type Entry,
  type Patience,
  type PriceEvent,
  type Quote,
} from './topic-state.js'

/** What a listener is told, given the topic as that listener wrote it. */
export type Tell = (topic: Topic) => PriceEvent

export const quoted =
  (quote: Quote): Tell =>
  (topic) =>
    right({ topic, ...quote })

export const failed =
  (error: (topic: Topic) => PriceError): Tell =>
  (topic) =>
    left(error(topic))

export const refused = (text: string): Tell => {
  const reason = shortened(text)
  return failed((topic) => subscriptionRejected(topic, reason))
}

export const silent = (entry: Entry, now: number): Tell => {
  const silentForMs = Math.round(now - entry.heardAt)
  const last = lastQuote(entry)
  return failed((topic) => stale(topic, silentForMs, last === undefined ? undefined : { topic, ...last }))
}

/**
 * What somebody who joins is told at once, if anything holds now. It does not while a silence that is too long is yet
 * to be found out, after the event loop was blocked: what has come meanwhile tells, or `Stale` does.
 */
export const latest = (entry: Entry, patience: Patience, now: number): Tell | undefined => {
  if (isStale(entry)) return silent(entry, now)
  if (silentAt(entry, patience) <= now) return undefined
  const last = lastQuote(entry)
  return last === undefined ? undefined : quoted(last)
}
