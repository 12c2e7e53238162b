import { left, right } from 'fp-ts/lib/Either.js'
import { createTestClient, depth, price } from 'svc-streams/testing'
import { test } from 'vitest'
import { resubscribe } from '../../../src/cli/demonstration/resubscribe.js'
import { subscriptionRejected } from '../../../src/errors/constructors.js'
import { marbles } from '../../support/time/marbles.js'

const rejected = subscriptionRejected('svc-0xbb', 'no such thing')
const prices = { p: right(price('svc-0xaa', 1)), r: left(rejected) }
const depths = { d: right(depth('0xaa')) }

test('subscribes again to the price of the token, and to that of no other token, when it is accepted', () => {
  marbles(({ cold, hot, expectObservable }) => {
    const client = createTestClient({
      prices: { 'svc-0xaa': cold('-(p|)', prices), 'svc-0xbb': cold('-(r|)', prices) },
      depths: {},
    })
    const resubscribed = resubscribe({ client, depthClient: undefined }, '0xbb', hot('-----a---'))
    expectObservable(resubscribed.client.price$('svc-0xaa'), '^-------!').toBe('-(p|)', prices)
    expectObservable(resubscribed.client.price$('svc-0xbb'), '^-------!').toBe('-r----r', prices)
  })
})

test('requests the depth of the token when it is accepted', () => {
  marbles(({ cold, hot, expectObservable }) => {
    const client = createTestClient({
      prices: {},
      depths: { '0xaa': cold('-d', depths), '0xbb': cold('-d', depths) },
    })
    const { depthClient } = resubscribe({ client, depthClient: client }, '0xbb', hot('-----a---'))
    expectObservable(depthClient!.depth$('0xaa', 1000), '^-------!').toBe('-d', depths)
    expectObservable(depthClient!.depth$('0xbb', 1000), '^-------!').toBe('------d', {
      d: right(depth('0xbb')),
    })
  })
})
