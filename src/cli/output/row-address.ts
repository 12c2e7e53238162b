import { isAddress, type Address } from '../../domain/address.js'
import { addressIn } from '../../domain/topic.js'
import type { Row } from '../../recording/format/row.js'

/** The token that an event is about; `undefined` where it is about the connection. */
export const rowAddress = (row: Row): Address | undefined => {
  switch (row._tag) {
    case 'Price':
      return addressIn(row.topic)
    case 'Depth':
      return row.mint
    case 'End':
      return isAddress(row.of) ? row.of : addressIn(row.of)
    case 'Status':
    case 'Uncorrelated':
      return undefined
  }
}
