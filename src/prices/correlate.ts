import { canonicalAddress, type Address } from '../domain/address.js'

// An error frame names no topic. It is attributed only where that is provable.

export interface Unanswered {
  /** Whether this is the base address of a topic that waits for its confirmation. */
  readonly isWaiting: (base: Address) => boolean
  /** The base address of each subscribe that is unanswered, those of topics since left included. */
  readonly bases: () => readonly Address[]
}

/**
 * The topic that an error text rejects: the one waiting topic whose address it contains; or, where it contains no
 * address at all, the topic of the only unanswered subscribe. Otherwise nothing is guessed.
 */
export const correlate = (text: string, unanswered: Unanswered): Address | undefined => {
  const named = new Set(
    (text.match(/0x[0-9a-fA-F]+/g) ?? []).map((found) => canonicalAddress(found as Address)),
  )
  return only(named.size > 0 ? [...named].filter(unanswered.isWaiting) : unanswered.bases())
}

const only = (bases: readonly Address[]): Address | undefined => (bases.length === 1 ? bases[0] : undefined)
