import { assertNever } from '../../domain/assert-never.js'
import type { TopicSnapshotState } from '../../domain/snapshot.js'
import type { PriceError } from '../../errors/model.js'
import type { Colours } from '../output/colours.js'
import type { Cell } from '../output/table.js'
import type { TokenState } from './board.js'

/**
 * The words of the STATE column. Those of `inspect()` have the same meaning here; a watched topic has a subscriber and
 * is never `lingering`.
 */
export type StateWord =
  Exclude<TopicSnapshotState, 'lingering'> | 'refused' | 'no answer' | 'down' | 'unreadable' | 'closed'

export const stateWord = ({ price, priceError }: TokenState): StateWord => {
  if (priceError !== undefined) return errorWord(priceError)
  return price === undefined ? 'waiting' : 'live'
}

export const stateCell = (token: TokenState, colours: Colours): Cell => {
  const text = stateWord(token)
  return { text, paint: text === 'live' || text === 'waiting' ? colours[text] : colours.failed }
}

const errorWord = (error: PriceError): StateWord => {
  switch (error._tag) {
    case 'InvalidTopic':
    case 'SubscriptionRejected':
      return 'refused'
    case 'SubscriptionTimeout':
      return 'no answer'
    case 'Disconnected':
      return 'down'
    case 'Stale':
      return 'stale'
    case 'DecodeError':
      return 'unreadable'
    case 'ClientClosed':
      return 'closed'
    default:
      return assertNever(error)
  }
}
