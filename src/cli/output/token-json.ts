import type { Address } from '../../domain/address.js'
import type { Topic } from '../../domain/topic.js'
import { encodeRow } from '../../recording/format/row-codec.js'
import type { Row } from '../../recording/format/row.js'
import type { TokenNames } from '../tokens/token-names.js'
import { rowAddress } from './row-address.js'

/** The properties of JSON output that identify a token. JSON omits an unknown symbol. */
interface TokenProperties {
  readonly topic: Topic
  readonly symbol: string | undefined
}

/** Adds the topic and the symbol of a token. A topic that the value already has stays. */
export const withToken = <A extends object>(
  value: A,
  address: Address,
  names: TokenNames,
): A & TokenProperties => ({
  ...value,
  topic: names.topic(address),
  symbol: names.symbol(address),
  ...value,
})

/** An event as one line of JSON: a row of a recording, with topic and symbol unless it is an event of the connection. */
export const rowJson = (row: Row, names: TokenNames): string => {
  const address = rowAddress(row)
  return encodeRow(address === undefined ? row : withToken(row, address, names))
}
