import { expect, it } from 'vitest'
import { healthResponse } from '../../../src/gateway/http/health.js'
import type { PriceSide } from '../../../src/gateway/prices/price-side.js'

const sideOf = (isUp: boolean): PriceSide => ({
  upgrade: () => undefined,
  isUp: () => isUp,
  upstream: () =>
    isUp
      ? { _tag: 'Open', epoch: 1, since: 0 }
      : { _tag: 'Waiting', attempt: 1, retryInMs: 5, reason: 'connect ECONNREFUSED 10.0.0.5:4000' },
  snapshot: () => ({ connections: 3, topics: [{ topic: 'svc-0xab', consumers: 2, state: 'live' }] }),
  close: () => undefined,
})

it('has status 200 while the connection to the service is usable', () => {
  expect(healthResponse(sideOf(true))).toEqual({
    status: 200,
    headers: { 'Content-Type': 'application/json' },
    body: '{"status":"up","upstream":"Open","connections":3,"topics":1}',
  })
})

it('has status 503 while it is down, without the reason, which may contain an address', () => {
  expect(healthResponse(sideOf(false))).toMatchObject({
    status: 503,
    body: '{"status":"down","upstream":"Waiting","connections":3,"topics":1}',
  })
})
