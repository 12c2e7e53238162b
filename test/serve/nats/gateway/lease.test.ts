import { expect, it } from 'vitest'
import type { ConsumerMessage } from '../../../../src/wire/codec/nats/messages.js'
import { Lease } from '../../../../src/serve/nats/gateway/lease.js'
import type { Publisher } from '../../../../src/serve/nats/gateway/publisher.js'

it('a proven confirmation has the position of the last price, from which the consumer counts', () => {
  const sent: ConsumerMessage[] = []
  const publisher: Pick<Publisher, 'sequenceOf' | 'send' | 'time'> = {
    sequenceOf: () => 3,
    send: (_, message) => sent.push(message),
    time: () => 0,
  }
  let isUnproven = true
  const lease = new Lease(
    'id',
    5_000,
    () => () => isUnproven,
    'inbox',
    publisher as Publisher,
    () => undefined,
  )
  const position = { run: 'r', count: 4 }
  lease.onSubscribe('0xaa')
  lease.confirm({ base: '0xaa', topic: 'svc-0xaa', position, currentFrame: () => undefined })
  isUnproven = false
  lease.confirmWaiting()
  expect(sent).toMatchObject([{ isPending: true }, { isPending: false, position }])
})
