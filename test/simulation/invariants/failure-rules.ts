import type { PriceError } from 'svc-streams'
import { firstProblem } from './first-problem.js'
import type { Ledger, SubscriberRecord } from './ledger.js'

// What holds for each failure that a subscriber receives. `docs/reference/guarantees.md`: connection, subscriptions.

type Rule = (ledger: Ledger, subscriber: SubscriberRecord, error: PriceError) => string | undefined

/** A subscriber does not learn of a loss before the one connection is lost. Its first event may be the last failure of the topic. */
const lossIsOfTheConnection: Rule = ({ open }, { lastEvent }, { _tag }) =>
  _tag === 'Disconnected' && open !== undefined && lastEvent !== 'none'
    ? `socket ${open.socket.id} is open`
    : undefined

/** A text without an address rejects a topic only if it answers the request of the topic, not an earlier one or one of another topic. */
const rejectionAnswersTheRequest: Rule = ({ answered, open, hasPings }, { base }, error) => {
  if (error._tag !== 'SubscriptionRejected' || error.reason.includes('0x')) return undefined
  if (open === undefined || answered?.isSubscribe !== true) return undefined
  // The client may have taken a stray text for the answer before.
  if (answered.at <= open.strayTextAt) return undefined
  const later = open.frames.slice(open.frames.indexOf(answered) + 1).filter((frame) => frame.base === base)
  // A page may request the topic again while it waits for the first answer.
  const isRenewed = later.some((frame) => hasPings || !frame.isSubscribe)
  return answered.base === base && !isRenewed
    ? undefined
    : `the text answers the request of ${answered.base} before`
}

const rules = [lossIsOfTheConnection, rejectionAnswersTheRequest]

/** Returns what is wrong with a failure that a subscriber receives, if anything is. */
export const problemOfFailure = (
  ledger: Ledger,
  subscriber: SubscriberRecord,
  error: PriceError,
): string | undefined => {
  const problem = firstProblem(rules, ledger, subscriber, error)
  return problem && `${subscriber.topic} received ${error._tag}: ${problem}`
}
