import type { Address } from '../../domain/address.js'
import { addressOf } from '../../domain/topic.js'
import type { RecordingHeader } from '../../recording/format/row.js'

/** The addresses of a recording's topics and mints, each once. */
export const recordedAddresses = ({
  topics,
  mints,
}: Pick<RecordingHeader, 'topics' | 'mints'>): readonly Address[] => {
  const addresses = [...topics.map(addressOf), ...mints]
  return [...new Map(addresses.map((address) => [address.toLowerCase(), address])).values()]
}
