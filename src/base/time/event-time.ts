import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import { rxClock } from './rx-clock.js'

// The time of an event by its data, so that a live run and the replay of its recording agree although handlers take time
// in a live run. All times are in ms since the Unix epoch.

/**
 * A client delivers a price in the event-loop turn in which it receives it, but handlers before may take time. A value of
 * an earlier turn that arrives later than this after its `receivedAt` was held, or came with an age, in ms.
 */
const maxHandlingTime = 100

/** A `receivedAt` that is later than this after the arrival is of another clock, in ms. */
const maxAhead = 60_000

/** `receivedAt` of the value of an event; `NaN` if it has none. */
export const receivedAtOf = (event: Either<unknown, unknown>): number => {
  if (isLeft(event)) return NaN
  const receivedAt = (event.right as { readonly receivedAt?: unknown } | null | undefined)?.receivedAt
  return typeof receivedAt === 'number' ? receivedAt : NaN
}

/**
 * The time of an event that arrives at `now`: its `receivedAt`, or its arrival if it has none or was held. In virtual
 * time no handler takes time, so an earlier `receivedAt` means that the value was held.
 */
export const timeOfEvent = (event: Either<unknown, unknown>, now: number): number => {
  const receivedAt = receivedAtOf(event)
  const lateBy = now - receivedAt
  if (lateBy <= 0 && lateBy >= -maxAhead) return receivedAt
  if (rxClock.isVirtual) return now
  const isOfTurn = receivedAt >= turnStartedAt && isInTurn(now)
  return lateBy > 0 && (isOfTurn || lateBy <= maxHandlingTime) ? receivedAt : timeOfTurn(now)
}

/** A clock that is later than this within a turn was set forward, in ms. */
const maxTurn = 60_000

const resolved = Promise.resolve()
let turnStartedAt = NaN

const isInTurn = (now: number): boolean => now >= turnStartedAt && now < turnStartedAt + maxTurn

/** A client has received data at `now`. The caller calls `endTurn` in a microtask. */
export const startTurn = (now: number): void => {
  if (!isInTurn(now)) turnStartedAt = now
}

export const endTurn = (): void => {
  turnStartedAt = NaN
}

/** The first `now` of this turn of the event loop: all receivers of an event agree on its arrival. */
const timeOfTurn = (now: number): number => {
  if (isInTurn(now)) return turnStartedAt
  void resolved.then(endTurn)
  return (turnStartedAt = now)
}
