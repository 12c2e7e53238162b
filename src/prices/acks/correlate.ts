import { canonicalAddress, type Address } from '../../domain/address.js'

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

/** The only address, or `undefined` if there is none or a second one. Reads no further: thousands may follow. */
export const only = (addresses: Iterable<Address>): Address | undefined => {
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
export const addressesIn = (text: string): readonly Address[] | undefined => {
  const addresses = new Set<Address>()
  let count = 0
  for (const [address] of text.matchAll(/0x[0-9a-fA-F]+/g)) {
    if (++count > maxAddresses) return undefined
    addresses.add(canonicalAddress(address as Address))
  }
  return [...addresses]
}
