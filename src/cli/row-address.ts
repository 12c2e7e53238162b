import type { Row } from '../codec/row.js'
import { isAddress, type Address } from '../domain/address.js'
import type { Topic } from '../domain/topic.js'

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

/** The token's address in a topic, whatever the service's name in front of it. */
const addressIn = (topic: Topic): Address => topic.slice(topic.lastIndexOf('-') + 1) as Address
