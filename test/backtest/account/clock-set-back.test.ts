import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { right, type Either } from 'fp-ts/lib/Either.js'
import { NEVER, Subject } from 'rxjs'
import { defineTokens, type Price, type PriceError } from 'svc-streams'
import { paper } from 'svc-streams/paper'
import { createTestClient, price } from 'svc-streams/testing'
import { expect, it, onTestFinished } from 'vitest'
import { ethTopic, weth } from '../../support/tokens.js'

it('an account publishes once that the clock was set back under it', () => {
  const messages: unknown[] = []
  const listen = (message: unknown): void => void messages.push(message)
  subscribe('svc-streams:account-clock', listen)
  onTestFinished(() => void unsubscribe('svc-streams:account-clock', listen))
  const price$ = new Subject<Either<PriceError, Price>>()
  const client = createTestClient({ prices: { [ethTopic]: price$ }, depths: { [weth]: NEVER } })
  const tokens = defineTokens({ ETH: { address: weth, decimals: 18 } })
  const costs = { feeBps: 0, slippageBps: 0, latency: 0 }
  const run = paper(client, () => NEVER, { tokens, cash: 1, depthInterval: 500, ...costs }).subscribe()
  const send = (receivedAt: number): void => price$.next(right(price(ethTopic, 1, { receivedAt })))
  const now = Date.now()
  send(now)
  expect(messages).toEqual([])
  send(now + 3_600_000)
  send(now + 10)
  expect(messages).toEqual([{ behindMs: expect.any(Number) as number }])
  expect((messages[0] as { behindMs: number }).behindMs).toBeGreaterThan(3_000_000)
  run.unsubscribe()
})
