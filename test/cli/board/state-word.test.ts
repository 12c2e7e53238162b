import { price } from 'svc-streams/testing'
import { expect, test } from 'vitest'
import { stateWord } from '../../../src/cli/board/state-word.js'
import * as errors from '../../../src/errors/constructors.js'

const address = '0xaa'

test('is waiting before the first price, then live', () => {
  expect(stateWord({ address, priceAt: 0 })).toBe('waiting')
  expect(stateWord({ address, priceAt: 0, price: price('svc-0xaa', 1) })).toBe('live')
})

test('names the price error', () => {
  const last = price('svc-0xaa', 1)
  expect(
    [
      errors.invalidTopic('x', 'svc'),
      errors.subscriptionRejected('svc-0xaa', 'no'),
      errors.subscriptionTimeout('svc-0xaa', 1, []),
      errors.disconnected({ code: 1006, reason: '', attempt: 1, retryInMs: 1 }),
      errors.stale('svc-0xaa', 1, last),
      errors.decodeError('a price', 'x', []),
      errors.clientClosed,
    ].map((priceError) => stateWord({ address, priceAt: 0, price: last, priceError })),
  ).toEqual(['refused', 'refused', 'no answer', 'down', 'stale', 'unreadable', 'closed'])
})
