import { Subject } from 'rxjs'
import { createClient, defineTokens } from 'svc-streams'
import { market, paper, type Filled, type Order, type PaperEvent } from 'svc-streams/paper'
import { expect, it, onTestFinished } from 'vitest'
import { closeAfterTest } from '../../support/close-after-test.js'
import { startServiceThread } from '../../support/network/service-thread.js'
import { blockEventLoop } from '../../support/time/event-loop.js'
import { eventually } from '../../support/time/eventually.js'

const tokens = defineTokens({ X: { address: '0x01', decimals: 0 } })

const blockedMs = 900

/** The time in which a price is read and the order is filled, in ms. */
const tolerance = 450

it('fills an order of a timer that fires after a pause with a price that was read after it', async () => {
  const { addresses } = closeAfterTest(await startServiceThread({ tick: 5, stamped: true }))
  const client = closeAfterTest(createClient({ environment: 'mainnet', ...addresses }))
  const order$ = new Subject<Order>()
  const events: PaperEvent[] = []
  const fills = (): readonly Filled[] => events.filter((event) => event._tag === 'Filled')
  // Quantities of the service are 1, and prices are times of the day in ms.
  const options = {
    tokens,
    cash: 1e14,
    feeBps: 0,
    slippageBps: 0,
    latency: 0,
    depthShareBps: 10_000,
    depthInterval: 20,
  }
  const run = paper(client, () => order$, options).subscribe((event) => events.push(event))
  onTestFinished(() => run.unsubscribe())
  let depths = 0
  const polled = client.depth$(tokens.X.address, 20).subscribe(() => depths++)
  onTestFinished(() => polled.unsubscribe())
  await eventually(() => expect(Math.min(events.length, depths)).toBeGreaterThan(1))

  // The timer is due during the pause, and fires before the sockets are read.
  setTimeout(() => order$.next(market('X', 'buy', { units: 1n }, { rest: 'work' })), 10)
  blockEventLoop(blockedMs)
  const continuedAt = Date.now()
  await eventually(() => expect(fills()).toHaveLength(1))
  expect(fills()[0]!.price).toBeGreaterThan(continuedAt - tolerance)
})
