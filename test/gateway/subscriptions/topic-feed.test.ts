import type { Either } from 'fp-ts/lib/Either.js'
import { Subject } from 'rxjs'
import type { Price, PriceError } from 'svc-streams'
import { expect, it } from 'vitest'
import type { PricePosition } from '../../../src/base/domain/past.js'
import { TopicFeed } from '../../../src/gateway/subscriptions/topic-feed.js'
import { a, priceAt } from '../../support/time/marbles.js'
import { unboundedFeed } from '../support/unbounded-feed.js'

it('sends a price with its position only if consumers cannot count it: after a missing price, or in another run', () => {
  const event$ = new Subject<Either<PriceError, Price>>()
  let position: PricePosition | undefined
  const frames: unknown[] = []
  const feed = new TopicFeed('0xaa', a, {
    source: {
      ...unboundedFeed,
      sourceOf: () => ({ open$: () => event$, age: () => 0, position: () => position }),
      isUpToDate: () => true,
    },
    encode: (payload) => payload,
    send: (_, frame) => frames.push(JSON.parse(frame)),
    sendUndecodable: () => undefined,
    isUp: () => true,
    onCompleted: () => undefined,
  })
  feed.add({ feeds: new Map(), confirm: () => undefined, reject: () => undefined })
  feed.start()
  const positions: readonly PricePosition[] = [
    { run: 'r', count: 1 },
    { run: 'r', count: 2 },
    { run: 'r', count: 4 },
    { run: 's', count: 5 },
    { run: 's', count: 6 },
  ]
  for (position of [undefined, undefined, ...positions]) event$.next(priceAt(0, a, 7))
  const stated = [undefined, undefined, positions[0], undefined, positions[2], positions[3], undefined]
  expect(frames).toEqual(stated.map((at) => ({ topic: a, price: 7, ...(at && { position: at }) })))
  feed.stop()
})
