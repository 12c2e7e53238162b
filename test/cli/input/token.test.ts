import { expect, test } from 'vitest'
import { tokenIn } from '../../../src/cli/input/token.js'

test('an address or a topic, spelled as it was', () => {
  expect(['0xAb', 'svc-0xAb', 'ETH', 'other-0xab', ''].map(tokenIn)).toEqual([
    '0xAb',
    '0xAb',
    undefined,
    undefined,
    undefined,
  ])
})
