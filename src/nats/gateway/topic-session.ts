import type { Address } from '../../domain/address.js'
import type { Topic } from '../../domain/topic.js'

/** The last price, if it is current: its frame, and the time at which it was, of the gateway's clock, in ms. */
export interface CurrentPrice {
  readonly price?: { readonly frame: string; readonly time: number }
}

/** What a topic sends to one session that wants it. */
export interface TopicSession {
  /** Answers a subscribe message. `sequence`: that of the last update. */
  readonly confirm: (base: Address, topic: Topic, sequence: number, price: CurrentPrice) => void
  /** The service has rejected the topic. */
  readonly reject: (base: Address, text: string) => void
}
