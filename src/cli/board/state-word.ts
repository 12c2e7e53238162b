import { matchError } from '../../errors/render.js'
import type { Colours } from '../output/colours.js'
import type { Cell } from '../output/table.js'
import type { TokenState } from './board.js'

/** How a token is, in a word: whether its price can be relied on, and if not, why. */
export const stateWord = ({ price, priceError }: TokenState, colours: Colours): Cell => {
  if (priceError === undefined) {
    return price === undefined
      ? { text: 'waiting', paint: colours.yellow }
      : { text: 'live', paint: colours.green }
  }
  const text = matchError(priceError, {
    InvalidTopic: () => 'refused',
    SubscriptionRejected: () => 'refused',
    SubscriptionTimeout: () => 'no answer',
    Disconnected: () => 'down',
    Stale: () => 'stale',
    DecodeError: () => 'unreadable',
    ClientClosed: () => 'closed',
  })
  return { text, paint: colours.red }
}
