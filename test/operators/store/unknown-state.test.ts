import { right, type Either } from 'fp-ts/lib/Either.js'
import { Subject } from 'rxjs'
import { afterEach, expect, it, vi } from 'vitest'
import type { Price, PriceError } from '../../../src/index.js'
import { priceStore } from '../../../src/operators/store/index.js'
import * as build from '../../../src/testing/index.js'
import { ethTopic } from '../../support/tokens.js'
import { controlFrames } from '../support/frames.js'
import { liveStream$ } from '../support/live-stream.js'

afterEach(() => void vi.unstubAllGlobals())

it('a price store is stale while the source does not know whether its price is current, and is live again if it is', () => {
  const price = build.price(ethTopic, 1)
  const source$ = new Subject<Either<PriceError, Price>>()
  let isCurrent = true
  const stream$ = liveStream$(
    () => source$,
    () => undefined,
    undefined,
    () => isCurrent,
  )
  const { run } = controlFrames()
  const store = priceStore(stream$)
  const listener = vi.fn()
  const unsubscribe = store.subscribe(listener)
  source$.next(right(price))
  run()
  isCurrent = false
  const late = store.getSnapshot()
  expect(late).toEqual({ state: 'stale', price: undefined, last: price, error: undefined })
  expect(store.getSnapshot()).toBe(late)
  isCurrent = true
  run()
  const live = { state: 'live', price, last: price, error: undefined }
  expect(listener.mock.lastCall).toEqual([live])
  expect(store.getSnapshot()).toEqual(live)
  unsubscribe()
})
