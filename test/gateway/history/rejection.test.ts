import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { concat, defer, NEVER, of } from 'rxjs'
import type { Price, PriceError } from 'svc-streams'
import { createTestClient, price, subscriptionRejected } from 'svc-streams/testing'
import { expect, it } from 'vitest'
import { checkInterval } from '../../../src/gateway/history/recorder.js'
import { newFolder } from '../../support/new-folder.js'
import { ethTopic } from '../../support/tokens.js'
import { createManualClock } from './support/manual-clock.js'
import { openTestHistory } from './support/open-history.js'

it('requests a rejected topic of `topics` again at each check until the service accepts it', async () => {
  const rejection: Either<PriceError, Price> = left(subscriptionRejected(ethTopic, 'Invalid pair'))
  let requests = 0
  const price$ = defer(() => (++requests < 3 ? of(rejection) : concat(of(right(price(ethTopic, 1))), NEVER)))
  const client = createTestClient({ prices: { [ethTopic]: price$ } })
  const clock = createManualClock()
  const history = await openTestHistory(newFolder(), { client, clock })
  const states: unknown[] = []
  for (let check = 0; check < 4; check++) {
    states.push([requests, history.recorder.snapshot().rows])
    clock.advance(checkInterval)
  }
  expect(states).toEqual([
    [1, 0],
    [2, 0],
    [3, 1],
    [3, 1],
  ])
})
