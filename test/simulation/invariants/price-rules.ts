import type { Price } from 'svc-streams'
import type { Ledger, SubscriberRecord } from './ledger.js'

// What holds for each price that a subscriber receives as a value. `docs/promises.md`: never stale, subscriptions.

type Rule = (ledger: Ledger, subscriber: SubscriberRecord, price: Price) => string | undefined

/** A price is of the topic as its subscriber wrote it, and of the open connection. */
const comesFromTheOpenConnection: Rule = ({ open, prices }, { topic, base }, price) => {
  const sent = prices.find(price.price)
  if (sent === undefined) return 'it was never sent'
  if (sent.base !== base || price.topic !== topic) return `it is of ${sent.base}, as ${price.topic}`
  if (open === undefined) return 'no connection is open'
  if (sent.socket !== open.socket)
    return `it is of socket ${sent.socket.id}, while socket ${open.socket.id} is open`
  open.epoch ??= price.epoch
  return open.epoch === price.epoch ? undefined : `its epoch is ${price.epoch}, not ${open.epoch}`
}

/** Nothing is delivered twice or in another order, and nothing is left out, except after a `Stale`. */
const followsThePriceBefore: Rule = ({ open, prices }, subscriber, price) => {
  const sent = prices.find(price.price)
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

/**
 * A price that is delivered as it arrives was sent at most `maxLag` before. Any other one, which was held or which a late
 * subscriber receives, was the newest price of the service at most `maxLag` before.
 */
const isYoungerThanMaxLag: Rule = ({ process, prices, reading, isProbed, times }, _subscriber, price) => {
  const sent = prices.find(price.price)
  if (!isProbed || sent === undefined) return undefined
  const since = reading === price.price ? sent.sentAt : prices.next(sent)?.sentAt
  const age = since === undefined ? 0 : process.now - since
  return age > times.maxLag ? `it is ${age} ms old, more than maxLag of ${times.maxLag} ms` : undefined
}

/** After a long pause, nothing is delivered before the service has answered. */
const followsAnAnswer: Rule = ({ isAnswerMissing }) =>
  isAnswerMissing ? 'the service has not answered since the process was paused' : undefined

const rules = [comesFromTheOpenConnection, followsThePriceBefore, isYoungerThanMaxLag, followsAnAnswer]

/** Returns what is wrong with a price that a subscriber receives, if anything is. */
export const problemOfPrice = (
  ledger: Ledger,
  subscriber: SubscriberRecord,
  price: Price,
): string | undefined => {
  for (const rule of rules) {
    const problem = rule(ledger, subscriber, price)
    if (problem !== undefined) return `${subscriber.topic} received the price ${price.price}: ${problem}`
  }
  return undefined
}
