import { canonicalAddress, type Address } from '../../base/domain/address.js'
import { truncate } from '../../base/errors/text.js'
import type { FrameLedger } from './frame-ledger.js'
import { phaseOf, type SubscribedTopic, type TopicTable } from './topics.js'

/** The maximum number of stored texts. */
const maxTexts = 16

/** The error texts of one connection: which topic each rejects, and the recent ones that match no topic. */
export class ErrorTexts {
  /** One of them may reject a pending topic. */
  private uncorrelated: readonly { readonly at: number; readonly text: string }[] = []
  /** The pending topic that the last search found. While it is pending, no search is needed. */
  private pendingTopic: SubscribedTopic | undefined

  constructor(
    private readonly topics: TopicTable,
    private readonly ledger: FrameLedger,
  ) {}

  /**
   * The topic that an error text rejects. A text that matches no topic is stored, as `shown`, for a later
   * `SubscriptionTimeout`. `now`: monotonic, in ms.
   */
  correlate(text: string, now: number, shown: string): Address | undefined {
    const { ledger } = this
    const base = correlate(text, {
      isUnconfirmed: (address) => ledger.isRejectable(address),
      // A text without an address may be the answer to the probe. It rejects no topic.
      pending: () => (ledger.probeCount > 0 ? [] : ledger.awaited(now)),
    })
    const answered = base ?? this.leftTopicIn(text, now)
    if (answered !== undefined) ledger.onErrorText(answered, now)
    if (base === undefined)
      this.uncorrelated = [...this.uncorrelated.slice(1 - maxTexts), { at: now, text: truncate(shown) }]
    return base
  }

  /** The texts that match no topic, since `time`. */
  since(time: number): readonly string[] {
    return this.uncorrelated.filter(({ at }) => at >= time).map(({ text }) => text)
  }

  /**
   * True if repeated subscribe frames must wait. After a text that matches no topic they are sent one at a time, so that
   * the next text can reject only one topic. Read for every frame that takes the slow path.
   */
  get delaysResubscribes(): boolean {
    if (this.uncorrelated.length === 0) return false
    if (this.pendingTopic === undefined || phaseOf(this.pendingTopic) !== 'pending')
      this.pendingTopic = this.findPending()
    return this.pendingTopic !== undefined
  }

  private findPending(): SubscribedTopic | undefined {
    for (const state of this.topics.states) if (phaseOf(state) === 'pending') return state
    return undefined
  }

  /** The left topic whose subscribe frame the text answers. The text rejects no topic. */
  private leftTopicIn(text: string, now: number): Address | undefined {
    const named = addressesIn(text) ?? []
    return only(named.filter((address) => this.ledger.isLeftAwaited(address, now)))
  }
}

/** The acks of the subscribe frames of one connection. Topics are named by their base address. */
export interface SubscribeAcks {
  /** True if this topic is not confirmed yet. */
  readonly isUnconfirmed: (base: Address) => boolean
  /** The topic of each subscribe frame that waits for an ack, including topics unsubscribed since. */
  readonly pending: () => Iterable<Address>
}

/**
 * The topic that an error text rejects. An error text names no topic, so it is matched only if the match is certain:
 * either it contains the address of exactly one unconfirmed topic, or it contains no address and exactly one
 * subscribe frame waits for an ack.
 */
export const correlate = (text: string, acks: SubscribeAcks): Address | undefined => {
  const addresses = addressesIn(text)
  if (addresses === undefined) return undefined
  return only(addresses.length > 0 ? addresses.filter(acks.isUnconfirmed) : acks.pending())
}

/** The only address; `undefined` if there is none or more than one. Reads no further: thousands may follow. */
const only = (addresses: Iterable<Address>): Address | undefined => {
  let first: Address | undefined
  for (const address of addresses) {
    if (first !== undefined) return undefined
    first = address
  }
  return first
}

/** A text with more addresses answers no subscribe frame: a text of 1 MiB may have 350,000. */
const maxAddresses = 1000

/** The addresses in a text, each once, in lower case. Returns `undefined` if there are too many. */
const addressesIn = (text: string): readonly Address[] | undefined => {
  const addresses = new Set<Address>()
  let count = 0
  for (const [address] of text.matchAll(/0x[0-9a-fA-F]+/g)) {
    if (++count > maxAddresses) return undefined
    addresses.add(canonicalAddress(address as Address))
  }
  return [...addresses]
}
