import { isLeft } from 'fp-ts/lib/Either.js'
import type { Subscription } from 'rxjs'
import type { UncorrelatedError } from 'svc-streams'
import { describe, expect, it } from 'vitest'
import { collectEvents } from '../support/collect-events.js'
import {
  confirmAndSendPrice,
  createPriceClient,
  startScriptedService,
} from '../support/network/scripted-service.js'
import { eventually } from '../support/time/eventually.js'
import { ethTopic } from '../support/tokens.js'

// The counted work behind these bounds: test/wire/codec/price-frame.test.ts and test/client/prices/subscriber-list.test.ts.

const mebibyte = 2 ** 20

describe('a frame of 1 MiB', () => {
  it.each([
    ['numbers as topics', JSON.stringify({ subscriptions: new Array<number>(mebibyte / 2 - 20).fill(1) })],
    ['a nested list', `{"subscriptions":${'['.repeat(mebibyte / 2 - 20)}${']'.repeat(mebibyte / 2 - 20)}}`],
    ['one long topic of a wrong type', JSON.stringify({ subscriptions: { a: 'x'.repeat(mebibyte - 60) } })],
  ])('with %s is one short error, and prices continue', async (_name, frame) => {
    const service = await startScriptedService({ onSubscribe: confirmAndSendPrice })
    const client = createPriceClient(service.url)
    const errors: UncorrelatedError[] = []
    client.errors$.subscribe((error) => errors.push(error))
    const { events } = collectEvents(client.price$(ethTopic))
    await eventually(() => expect(events).toHaveLength(1))
    service.connections[0]?.send(frame)
    service.connections[0]?.sendPrice(ethTopic, 2)
    await eventually(() => expect(events).toHaveLength(2))
    expect(errors).toMatchObject([{ _tag: 'UncorrelatedError', kind: 'malformed' }])
    expect(JSON.stringify(errors).length).toBeLessThan(10_000)
    expect(events.some(isLeft)).toBe(false)
    expect(service.connections).toHaveLength(1)
  })
})

describe('40 000 subscribers of one topic', () => {
  it('receive each price once, and leave in any order', async () => {
    const service = await startScriptedService({ onSubscribe: confirmAndSendPrice })
    const client = createPriceClient(service.url, { linger: 0 })
    const count = 40_000
    let received = 0
    const subscriptions: Subscription[] = []
    for (let index = 0; index < count; index++) {
      subscriptions.push(client.price$(ethTopic).subscribe(() => received++))
    }
    await eventually(() => expect(received).toBe(count))
    // Every third first, then the others from the last to the first.
    for (const [index, subscription] of subscriptions.entries())
      if (index % 3 === 0) subscription.unsubscribe()
    service.connections[0]?.sendPrice(ethTopic, 2)
    const remaining = count - Math.ceil(count / 3)
    await eventually(() => expect(received).toBe(count + remaining))
    for (const subscription of subscriptions.toReversed()) subscription.unsubscribe()
    await eventually(() => expect(service.connections[0]?.isOpen()).toBe(false))
    expect(service.connections[0]?.receivedMessages).toEqual([
      `subscribe ${ethTopic}`,
      `unsubscribe ${ethTopic}`,
    ])
  })
})
