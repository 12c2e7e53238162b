import type { Ledger } from './ledger.js'

// What holds for a client at any time. Times are those in which the process of the client was running, in ms.

type Rule = (ledger: Ledger) => string | undefined

/** A client sends its frames in the turn after a change; a socket that is full delays them. */
const firstRequestMs = 100

/** Node's timers are late by a turn, and a pause may begin between two of them, in ms. */
const slackMs = 200

/** A price that has arrived must be delivered or held by then, in ms. */
const deliveryMs = 2_000

/** The maximum number of dials of a client in `dialWindowMs`, for each program that requests topics of it. */
const maxDials = 25
const dialWindowMs = 10_000

/** The timers per subscriber or poll. */
const timersPerStream = 4

const wantedTopicsAreRequested: Rule = ({ open, process, wantedSince, times }) => {
  if (open === undefined) return undefined
  for (const [base, since] of wantedSince) {
    const state = open.topics.get(base)
    if (state?.isConfirmed === true) continue
    const { requestedAt } = state ?? {}
    const waited = process.activeMs - Math.max(since, open.openedAt, requestedAt ?? 0)
    const bound = requestedAt === undefined ? firstRequestMs : 3 * times.confirmTimeout + slackMs
    const isFull = open.socket.bufferedAmount > 0
    if (waited > bound && !isFull)
      return `${base} is wanted, not confirmed, and was not requested for ${waited} ms, more than ${bound} ms`
  }
  return undefined
}

const unwantedTopicsAreReleased: Rule = ({ open, process, idleSince, times }) => {
  if (open === undefined) return undefined
  for (const [base, since] of idleSince) {
    if (open.topics.get(base)?.requestedAt === undefined) continue
    const waited = process.activeMs - Math.max(since, open.openedAt)
    const bound = times.linger + 2 * times.confirmTimeout + slackMs
    const isFull = open.socket.bufferedAmount > 0
    if (waited > bound && !isFull)
      return `${base} has no subscriber and was not unsubscribed for ${waited} ms, more than ${bound} ms`
  }
  return undefined
}

/** A price that arrives is delivered or held: a subscriber never waits in silence for what the client has read. */
const arrivedPricesAreDelivered: Rule = ({ open, process, subscribers, isAnswerMissing }) => {
  if (open === undefined || isAnswerMissing) return undefined
  for (const { base, topic, joinedAt, lastEvent, lastSocket, lastIndex } of subscribers) {
    const state = open.topics.get(base)
    if (state === undefined || state.arrivedIndex < 0 || joinedAt > state.arrivedAt) continue
    const delivered = lastSocket === open.socket ? lastIndex : -1
    const waited = process.activeMs - state.arrivedAt
    if (lastEvent !== 'failure' && delivered < state.arrivedIndex && waited > deliveryMs)
      return `${topic} has not received price ${state.arrivedIndex} of the connection, which arrived ${waited} ms before`
  }
  return undefined
}

const requestsAreAlone: Rule = ({ requests }) => {
  for (const [path, count] of requests) if (count > 1) return `${count} requests of ${path} are in flight`
  return undefined
}

const dialsAreBounded: Rule = ({ dials, world, programs }) => {
  while (dials[0] !== undefined && dials[0] < world.now - dialWindowMs) dials.shift()
  return dials.length > maxDials * programs ? `${dials.length} dials in ${dialWindowMs} ms` : undefined
}

const timersAreBounded: Rule = ({ process, subscribers, idleSince, requests, baseTimers }) => {
  const streams = subscribers.size + idleSince.size + requests.size
  const bound = baseTimers + timersPerStream * streams
  return process.pendingTimers > bound ? `${process.pendingTimers} timers, more than ${bound}` : undefined
}

const rules = [
  wantedTopicsAreRequested,
  unwantedTopicsAreReleased,
  arrivedPricesAreDelivered,
  requestsAreAlone,
  dialsAreBounded,
  timersAreBounded,
]

/** Returns what is wrong with a client, if anything is. */
export const problemOfState = (ledger: Ledger): string | undefined => {
  for (const rule of rules) {
    const problem = rule(ledger)
    if (problem !== undefined) return problem
  }
  return undefined
}
