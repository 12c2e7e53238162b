import { price } from 'svc-streams/testing'
import { expect, test } from 'vitest'
import { stateWord } from '../../../src/cli/board/state-word.js'
import { coloursFor } from '../../../src/cli/output/colours.js'
import * as errors from '../../../src/errors/constructors.js'

const plain = coloursFor({}, {})
const address = '0xaa'

test('whether the price can be relied on', () => {
  expect(stateWord({ address, priceAt: 0 }, plain).text).toBe('waiting')
  expect(stateWord({ address, priceAt: 0, price: price('svc-0xaa', 1) }, plain).text).toBe('live')
})

test('and if not, why', () => {
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
    ].map((priceError) => stateWord({ address, priceAt: 0, price: last, priceError }, plain).text),
  ).toEqual(['refused', 'refused', 'no answer', 'down', 'stale', 'unreadable', 'closed'])
})
