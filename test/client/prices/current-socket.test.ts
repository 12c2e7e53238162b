import { isRight } from 'fp-ts/lib/Either.js'
import { expect, it } from 'vitest'
import { createManualClient, ManualTransport } from '../../support/manual-transport.js'
import { a } from '../../support/time/marbles.js'
import { runInVirtualTime } from '../../support/time/virtual-time.js'

type Step = (transport: ManualTransport) => void

/** What a subscriber receives that comes at 100 ms, whose socket is current again at 200 ms. */
const lateEvents = (then: Step = () => undefined, before?: Step, after?: Step): readonly string[] => {
  const transport = new ManualTransport()
  const events: string[] = []
  let isCurrent = true
  runInVirtualTime(
    ({ at, now }) => {
      const { client } = createManualClient({ linger: 0 }, transport)
      client.price$(a).subscribe()
      at(10, () => {
        Object.assign(transport.lastSocket, { isCurrent: () => isCurrent })
        transport.lastSocket.open()
      })
      at(20, () => transport.lastSocket.deliverPrice(a, 1))
      at(90, () => (isCurrent = false))
      at(100, () => {
        before?.(transport)
        client
          .price$(a)
          .subscribe((event) =>
            events.push(`${now()} ${isRight(event) ? String(event.right.price) : event.left._tag}`),
          )
        after?.(transport)
      })
      at(150, () => then(transport))
      at(200, () => (isCurrent = true))
    },
    { endsAt: 1000 },
  )
  return events
}

it('gives a late subscriber the last price once the socket is current again', () => {
  expect(lateEvents()).toEqual(['200 1'])
})

it('gives a late subscriber only what replaces the last price meanwhile', () => {
  expect(lateEvents(({ lastSocket }) => lastSocket.deliverPrice(a, 2))).toEqual(['150 2'])
  expect(lateEvents(({ lastSocket }) => lastSocket.drop())[0]).toBe('150 Disconnected')
})

it('gives a late subscriber no price twice that one read holds behind the last price', () => {
  const send =
    (price: number): Step =>
    ({ lastSocket }) =>
      lastSocket.deliverPrice(a, price)
  expect(lateEvents(undefined, send(2), send(3))).toEqual(['100 3'])
})
