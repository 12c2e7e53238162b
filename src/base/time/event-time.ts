import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import { resolved, rxClock } from './clock.js'

// The time of an event by its data, so that a live run and the replay of its recording agree although handlers take time
// in a live run. All times are in ms since the Unix epoch.

/** Handlers take up to this time, in ms. A value that arrives later after its `receivedAt` was held, or came with an age. */
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
 * The time of an event that arrives at `now`: its `receivedAt`, or its arrival if it has none or was held. `early`: how
 * much earlier than its arrival the time of a held value is, in ms. In virtual time no handler takes time, so an earlier
 * `receivedAt` means that the value was held.
 */
export const timeOfEvent = (event: Either<unknown, unknown>, now: number, early = 0): number => {
  const receivedAt = receivedAtOf(event)
  const { isVirtual } = rxClock
  const arrival = isVirtual ? now : arrivalOf(now)
  // Not the earliest time: V8 allocates a number that one branch calculates and the other copies.
  const maxEarlier = isVirtual ? 0 : maxHandlingTime
  if (receivedAt > arrival && receivedAt <= now) arrivedAt = receivedAt
  if (receivedAt >= arrival - maxEarlier && receivedAt <= now + maxAhead) return receivedAt
  return receivedAt < arrival ? arrival - early : arrival
}

/** A clock that is later than this within a turn was set forward, in ms. */
const maxTurn = 60_000

let arrivedAt = NaN

/** The first clock reading in this turn, or a later `receivedAt`: operators and recorder agree on the arrival of an event. */
const arrivalOf = (now: number): number => {
  if (now >= arrivedAt && now < arrivedAt + maxTurn) return arrivedAt
  void resolved.then(endTurn)
  return (arrivedAt = now)
}

const endTurn = (): void => {
  arrivedAt = NaN
}
