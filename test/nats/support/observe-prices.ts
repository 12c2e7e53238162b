import { isRight } from 'fp-ts/lib/Either.js'
import type { Subscription } from 'rxjs'
import type { PriceClient, Topic } from 'svc-streams'
import type { PriceLine } from './lines.js'
import { realNow } from './real-clock.js'

/** Subscribes to a topic, and reports each event and its time. */
export const observePrices = (
  client: Pick<PriceClient, 'price$'>,
  topic: Topic,
  onLine: (line: PriceLine) => void,
): Subscription =>
  client.price$(topic).subscribe({
    next: (event) => {
      const at = realNow()
      if (isRight(event)) {
        const { price, epoch, receivedAt } = event.right
        onLine({ type: 'price', at, topic, tag: 'Right', price, epoch, receivedAt })
      } else {
        onLine({ type: 'price', at, topic, tag: event.left._tag, message: event.left.message })
      }
    },
    complete: () => onLine({ type: 'price', at: realNow(), topic, tag: 'completed' }),
  })
