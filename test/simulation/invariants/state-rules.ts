import { firstProblem } from './first-problem.js'
import type { Ledger } from './ledger.js'

// What holds for a client at any time. Times are those in which the process of the client was running, in ms.

type Rule = (ledger: Ledger) => string | undefined

/** A client sends its frames in the turn after a change; a socket that is full delays them. */
const firstRequestMs = 100

/** Node's timers are late by a turn, and a pause may begin between two of them, in ms. */
const slackMs = 200

/** A price that has arrived must be delivered or held by then, in ms. */
const deliveryMs = 2_000

/** A subscriber learns of a change that a timer detects by then, in ms: such timers wait for data that has arrived. */
const noticeMs = 1_500

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

const requestedTopicsAreWanted: Rule = ({ unwantedRequest }) =>
  unwantedRequest === undefined ? undefined : `${unwantedRequest} was requested without subscribers`

const unwantedTopicsAreReleased: Rule = ({ open, process, idleSince, times }) => {
  if (open === undefined) return undefined
  for (const [base, since] of idleSince) {
    const topic = open.topics.get(base)
    if (topic?.requestedAt === undefined || topic.mayBeRejected) continue
    const waited = process.activeMs - Math.max(since, open.openedAt)
    const bound = times.linger + 2 * times.confirmTimeout + slackMs
    const isFull = open.socket.bufferedAmount > 0
    if (waited > bound && !isFull)
      return `${base} has no subscriber and was not unsubscribed for ${waited} ms, more than ${bound} ms`
  }
  return undefined
}

/** A price that arrives is delivered or held: a subscriber never waits in silence for what the client has read. */
const arrivedPricesAreDelivered: Rule = ({ open, process, subscribers }) => {
  if (open === undefined) return undefined
  for (const { base, topic, firstDue, lastEvent, lastSocket, lastIndex } of subscribers) {
    const state = open.topics.get(base)
    if (state === undefined || firstDue < 0 || state.mayBeDropped) continue
    const delivered = lastSocket === open.socket ? lastIndex : -1
    const waited = process.activeMs - state.arrivedAt
    if (lastEvent !== 'failure' && delivered < state.arrivedIndex && waited > deliveryMs)
      return `${topic} has not received price ${state.arrivedIndex} of the connection, which arrived ${waited} ms before`
  }
  return undefined
}

/** A topic that the service keeps although the client does not want it is unsubscribed. */
const unaskedTopicsAreReleased: Rule = ({ open, process }) => {
  if (open === undefined || open.socket.bufferedAmount > 0) return undefined
  for (const [base, { unaskedSince }] of open.topics) {
    const waited = process.activeMs - (unaskedSince ?? Infinity)
    if (waited > noticeMs) return `${base} is not requested, and was not unsubscribed for ${waited} ms`
  }
  return undefined
}

/** A page notices silence by samples. */
const pageFactor = 1.25

/** A page waits longer for the answer to a probe that was sent late, in ms. */
const lateProbeMs = 1_000

const silenceEndsTheConnection: Rule = ({ open, process, times, hasPings, isProbed }) => {
  if (open === undefined || (!hasPings && !isProbed)) return undefined
  const silentMs = process.activeMs - open.receivedAt
  const bound = (hasPings ? 1 : pageFactor) * times.pingInterval + times.pongTimeout + noticeMs
  return silentMs > bound
    ? `the connection is open and silent for ${silentMs} ms, more than ${bound} ms`
    : undefined
}

/** A page probes while it has a topic, if the service has answered each frame before. A gateway does not say what it answers. */
const pagesProbe: Rule = ({ open, process, hasPings, times }) => {
  if (open === undefined || hasPings || times.maxLag === Infinity) return undefined
  const hasTopic = [...open.topics.values()].some((topic) => topic.requestedAt !== undefined)
  const waited = process.activeMs - Math.max(...open.frames.map((frame) => frame.answeredAt))
  if (!hasTopic) return undefined
  const bound = times.maxLag + noticeMs
  return waited > bound ? `no probe was sent for ${waited} ms, more than ${bound} ms` : undefined
}

/** A connection that stays behind for more than `maxLag` is ended. */
const lagEndsTheConnection: Rule = ({ open, process, isProbed, hasPings, times }) => {
  if (open === undefined || !isProbed || open.pings.size === 0) return undefined
  const behindMs = process.activeMs - open.currentUntil
  const bound = times.maxLag + (hasPings ? 0 : lateProbeMs) + noticeMs
  return behindMs > bound
    ? `the connection is open and behind for ${behindMs} ms, more than ${bound} ms`
    : undefined
}

/** A subscriber that has a price learns when it is no longer current. */
const subscribersLearnThatPricesEnd: Rule = ({ open, process, subscribers, times, closedAt }) => {
  const { activeMs } = process
  for (const { base, topic, lastEvent } of subscribers) {
    if (lastEvent !== 'price') continue
    const lostMs = activeMs - closedAt
    if (open === undefined && lostMs > noticeMs)
      return `${topic} has not received a Disconnected for ${lostMs} ms`
    const silentMs = activeMs - (open?.topics.get(base)?.arrivedAt ?? Infinity)
    if (silentMs > times.staleAfter + noticeMs) return `${topic} has not received a Stale for ${silentMs} ms`
  }
  return undefined
}

/** A subscriber without an event has one as soon as there is one for it. */
const newSubscribersAreInformed: Rule = ({ open, process, subscribers, times, lossyUntil }) => {
  const { activeMs } = process
  for (const { base, topic, lastEvent, joinedAt, joinedOn, joinedLive, joinedDown } of subscribers) {
    if (lastEvent !== 'none') continue
    const waited = activeMs - joinedAt
    if (open === undefined) {
      if (joinedDown && waited > noticeMs) return `${topic} has not received a Disconnected for ${waited} ms`
      continue
    }
    // While messages are lost, the last price is not known to be the newest one: a heartbeat that shows it may be lost too.
    const isDue = activeMs - Math.max(joinedAt, lossyUntil) > deliveryMs
    if (joinedLive && joinedOn === open.socket && isDue)
      return `${topic} has not received the latest price for ${waited} ms`
    const { requestedAt, isConfirmed, confirmedAt } = open.topics.get(base) ?? {}
    if (requestedAt === undefined) continue
    const silentMs = activeMs - Math.max(joinedAt, confirmedAt ?? 0)
    if (isConfirmed === true && silentMs > times.staleAfter + noticeMs)
      return `${topic} has not received a Stale for ${silentMs} ms`
    const unansweredMs = activeMs - requestedAt
    if (isConfirmed === false && joinedAt <= requestedAt && unansweredMs > times.confirmTimeout + noticeMs)
      return `${topic} has not received a SubscriptionTimeout for ${unansweredMs} ms`
  }
  return undefined
}

const requestsAreAlone: Rule = ({ requests }) => {
  for (const [path, count] of requests) if (count > 1) return `${count} requests of ${path} are in flight`
  return undefined
}

const dialsAreRight: Rule = ({ dials, wantedSince, programs }) =>
  dials.check(wantedSince.size === 0 ? undefined : Math.min(...wantedSince.values()), programs)

const pollsAreRight: Rule = ({ polls }) => polls.check()

const timersAreBounded: Rule = ({ process, subscribers, idleSince, requests, baseTimers }) => {
  const streams = subscribers.size + idleSince.size + requests.size
  const bound = baseTimers + timersPerStream * streams
  return process.pendingTimers > bound ? `${process.pendingTimers} timers, more than ${bound}` : undefined
}

const rules = [
  wantedTopicsAreRequested,
  requestedTopicsAreWanted,
  unwantedTopicsAreReleased,
  unaskedTopicsAreReleased,
  silenceEndsTheConnection,
  pagesProbe,
  lagEndsTheConnection,
  arrivedPricesAreDelivered,
  subscribersLearnThatPricesEnd,
  newSubscribersAreInformed,
  requestsAreAlone,
  dialsAreRight,
  pollsAreRight,
  timersAreBounded,
]

/** Returns what is wrong with a client, if anything is. */
export const problemOfState = (ledger: Ledger): string | undefined => firstProblem(rules, ledger)
