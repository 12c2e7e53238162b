import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { concat, defer, NEVER, of } from 'rxjs'
import type { Price, PriceError } from 'svc-streams'
import { createTestClient, price, subscriptionRejected } from 'svc-streams/testing'
import { expect, it } from 'vitest'
import { checkInterval, openGatewayHistory } from '../../../src/gateway/history/gateway-history.js'
import { rxClock } from '../../../src/time/rx-clock.js'
import { newFolder } from '../../support/new-folder.js'
import { runInVirtualTime } from '../../support/time/virtual-time.js'
import { ethTopic } from '../../support/tokens.js'

it('requests a rejected topic of `topics` again at each check until the service accepts it', () => {
  const rejection: Either<PriceError, Price> = left(subscriptionRejected(ethTopic, 'Invalid pair'))
  let requests = 0
  const price$ = defer(() => (++requests < 3 ? of(rejection) : concat(of(right(price(ethTopic, 1))), NEVER)))
  const client = createTestClient({ prices: { [ethTopic]: price$ } })
  const states: unknown[] = []
  runInVirtualTime(
    ({ at }) => {
      const history = openGatewayHistory(
        { folder: newFolder(), keep: Infinity, topics: [ethTopic] },
        { client, clock: rxClock, publish: () => undefined, ownHost: () => '', service: 'svc' },
      )
      for (const check of [0, 1, 2, 3]) {
        at(check * checkInterval + 1, () => {
          const { rows, failure } = history.snapshot()
          states.push([requests, rows, failure?.code, failure?.since])
        })
      }
      at(4 * checkInterval, () => history.close())
    },
    { endsAt: 5 * checkInterval },
  )
  expect(states).toEqual([
    [1, 0, 'SubscriptionRejected', 0],
    [2, 0, 'SubscriptionRejected', 0],
    [3, 1, undefined, undefined],
    [3, 1, undefined, undefined],
  ])
})
