import { assertNever } from '../../domain/assert-never.js'
import { isAddress, type Address } from '../../domain/address.js'
import { addressOf } from '../../domain/topic.js'
import type { Row } from '../../recording/format/row.js'

/** The token of an event; `undefined` for an event of the connection. */
export const rowAddress = (row: Row): Address | undefined => {
  switch (row._tag) {
    case 'Price':
      return addressOf(row.topic)
    case 'Depth':
      return row.mint
    case 'End':
      return isAddress(row.of) ? row.of : addressOf(row.of)
    case 'Status':
    case 'Uncorrelated':
      return undefined
    default:
      return assertNever(row)
  }
}
