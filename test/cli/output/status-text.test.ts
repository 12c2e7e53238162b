import { expect, test } from 'vitest'
import { statusText } from '../../../src/cli/output/status-text.js'

test('describes each connection status', () => {
  expect(statusText({ _tag: 'Idle' })).toBe('idle')
  expect(statusText({ _tag: 'Connecting', attempt: 2 })).toBe('connecting, attempt 2')
  expect(statusText({ _tag: 'Open', epoch: 3, since: 0 })).toBe('connected, epoch 3')
  expect(statusText({ _tag: 'Open', epoch: 3, since: 0, behindMs: 5234 })).toBe(
    'connected, epoch 3, 5.2 s behind',
  )
  expect(statusText({ _tag: 'Waiting', attempt: 1, retryInMs: 250, reason: 'reset' })).toBe(
    'down (reset), next attempt in 250 ms',
  )
  expect(statusText({ _tag: 'Closed' })).toBe('closed')
})
