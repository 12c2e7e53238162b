import type { Price } from 'svc-streams'
import { originOf } from '../world/price-log.js'
import { firstProblem } from './first-problem.js'
import type { Ledger, SubscriberRecord } from './ledger.js'

// What holds for each price that a subscriber receives as a value. `docs/reference/guarantees.md`: never stale, subscriptions.

/** Ages are rounded, and clocks are read once per tick, in ms. */
const ageToleranceMs = 20

type Rule = (ledger: Ledger, subscriber: SubscriberRecord, price: Price) => string | undefined

/** A price is of the topic as its subscriber wrote it, and of the open connection. */
const comesFromTheOpenConnection: Rule = ({ open, dials }, { topic, base }, price) => {
  if (open === undefined) return 'no connection is open'
  const sent = open.arrived.get(price.price)?.sent
  if (sent === undefined) return `it has not arrived on socket ${open.socket.id}, which is open`
  if (sent.base !== base || price.topic !== topic) return `it is of ${sent.base}, as ${price.topic}`
  const { openings } = dials
  return openings === price.epoch ? undefined : `its epoch is ${price.epoch}, not ${openings}`
}

/** Nothing is delivered twice or in another order, and nothing is left out, except after a `Stale`. */
const followsThePriceBefore: Rule = ({ open }, subscriber, price) => {
  const sent = open?.arrived.get(price.price)?.sent
  if (sent === undefined || open === undefined) return undefined
  const { index } = sent
  if (subscriber.lastSocket === open.socket) {
    const { lastIndex } = subscriber
    // The last price is delivered again once it is known to be current again.
    const isRepeat = index === lastIndex && subscriber.mayMissPrices
    if (index <= lastIndex && !isRepeat) return `price ${index} of the connection follows price ${lastIndex}`
    if (index > lastIndex + 1 && !subscriber.mayMissPrices)
      return `price ${index} of the connection follows price ${lastIndex} without a Stale`
    return undefined
  }
  const { joinedOn, joinedAtIndex, firstDue } = subscriber
  if (joinedOn === open.socket && index < joinedAtIndex)
    return `price ${index} of the connection is older than price ${joinedAtIndex}, which had arrived`
  if (firstDue >= 0 && index > firstDue && !subscriber.mayMissPrices)
    return `its first price is ${index} of the connection, and price ${firstDue} arrived without a Stale`
  return undefined
}

/** A lost update over NATS is detected within this time, in ms. */
const lossMs = 3_000

/**
 * A price that is delivered as it arrives was sent at most `maxLag` before. Any other one, which was held or which a late
 * subscriber receives, was the newest price of the service at most `maxLag` before, over any number of gateways.
 */
const isYoungerThanMaxLag: Rule = (ledger, _subscriber, price) => {
  const { process, prices, reading, isProbed, times, lossyUntil } = ledger
  const sent = ledger.arrived(price.price)?.sent
  if (!isProbed || sent === undefined) return undefined
  const isNew = reading === sent && sent.isNew
  const since = isNew ? originOf(sent).sentAt : prices.replacementOf(sent)?.sentAt
  const age = since === undefined ? 0 : process.now - since
  const isLossy = lossyUntil > 0 && process.activeMs - lossyUntil <= lossMs
  const maxAge = sent.maxAge + times.maxLag + (isLossy ? lossMs : 0)
  return age > maxAge ? `it is ${age} ms old, more than maxLag of ${maxAge} ms` : undefined
}

/** A price is delivered at most `maxLag` after the newest answered ping was sent. */
const isWithinTheMeasuredLag: Rule = ({ open, process, isProbed, times }) => {
  if (open === undefined || !isProbed || open.pings.size === 0) return undefined
  const lag = process.now - open.measuredAt
  return lag > times.maxLag + ageToleranceMs
    ? `the newest answered ping was sent ${lag} ms before, more than maxLag of ${times.maxLag} ms`
    : undefined
}

/** A price is no longer current `staleAfter` after it has arrived. The handlers of other subscribers of one delivery may be slow. */
const isNotStale: Rule = (ledger, _subscriber, { price }) => {
  const arrived = ledger.arrived(price)
  if (arrived === undefined) return undefined
  const { world, times } = ledger
  const silentMs = world.now - arrived.at
  return silentMs > times.staleAfter + ageToleranceMs
    ? `it arrived ${silentMs} ms before, more than staleAfter of ${times.staleAfter} ms`
    : undefined
}

/** The service or a gateway has sent a price at most `maxLag` before the client reads it and each subscriber receives it. */
const wasSentWithinMaxLag: Rule = ({ process, reading, isProbed, times }, _subscriber, { price }) => {
  if (!isProbed || reading?.isNew !== true || reading.id !== price) return undefined
  const age = process.now - reading.sentAt
  return age > times.maxLag
    ? `it was sent ${age} ms before, more than maxLag of ${times.maxLag} ms`
    : undefined
}

/** A price has the age of its frame, and the time that has passed since. */
const hasTheAgeOfItsFrame: Rule = (ledger, _subscriber, price) => {
  const arrived = ledger.arrived(price.price)
  if (arrived === undefined) return undefined
  const { process } = ledger
  const age = process.now - arrived.at + arrived.sent.age
  const stated = process.wallClock - price.receivedAt
  return stated < age - ageToleranceMs
    ? `its age is ${age} ms, and receivedAt states ${stated} ms`
    : undefined
}

/** A gateway answers a request by a price only while the topic is live there. */
const wasLiveAtTheGateway: Rule = ({ open, reading }, { base }, { price }) => {
  if (reading?.id !== price || reading.notLiveSince === undefined) return undefined
  const requested = open?.topics.get(base)?.sentAt ?? 0
  return requested > reading.notLiveSince
    ? 'its topic was not live at the gateway when it was requested, and is not since'
    : undefined
}

const rules = [
  comesFromTheOpenConnection,
  followsThePriceBefore,
  isYoungerThanMaxLag,
  isWithinTheMeasuredLag,
  isNotStale,
  wasSentWithinMaxLag,
  hasTheAgeOfItsFrame,
  wasLiveAtTheGateway,
]

/** Returns what is wrong with a price that a subscriber receives, if anything is. */
export const problemOfPrice = (
  ledger: Ledger,
  subscriber: SubscriberRecord,
  price: Price,
): string | undefined => {
  const problem = firstProblem(rules, ledger, subscriber, price)
  return problem && `${subscriber.topic} received the price ${price.price}: ${problem}`
}

/** Rules for a price that was delivered before. */
const rulesOfFills = [comesFromTheOpenConnection, isYoungerThanMaxLag, isNotStale]

/** Returns what is wrong with a price with which an account on paper fills an order, if anything is. */
export const problemOfFill = (
  ledger: Ledger,
  subscriber: SubscriberRecord,
  price: number,
): string | undefined => {
  const { topic } = subscriber
  const filled: Price = { topic: topic as Price['topic'], price, receivedAt: 0, epoch: ledger.dials.openings }
  const problem = firstProblem(rulesOfFills, ledger, subscriber, filled)
  return problem && `an order of ${topic} is filled at the price ${price}: ${problem}`
}
