import { expect, test } from 'vitest'
import { isServedStatus, nextServiceStatus } from '../../../src/dashboard/model/service-status.js'
import type { ConnectionStatus } from '../../../src/domain/status.js'

const up = { isUp: true, reason: '' }

test('nextServiceStatus keeps the reason until the connection is open', () => {
  const statuses: readonly ConnectionStatus[] = [
    { _tag: 'Connecting', attempt: 1 },
    { _tag: 'Open', epoch: 1, since: 0 },
    { _tag: 'Waiting', attempt: 1, retryInMs: 1, reason: 'refused' },
    { _tag: 'Connecting', attempt: 2 },
    { _tag: 'Open', epoch: 2, since: 0 },
    { _tag: 'Closed' },
  ]
  let status = up
  const all = statuses.map((next) => (status = nextServiceStatus(status, next, 'closed')))
  const refused = { isUp: false, reason: 'refused' }
  expect(all).toEqual([up, up, refused, refused, up, { isUp: false, reason: 'closed' }])
})

test('isServedStatus accepts a status as JSON, and nothing else', () => {
  expect(isServedStatus({ ...up, pageId: 'x' })).toBe(true)
  const wrong = [null, 'up', {}, { ...up, isUp: 1, pageId: 'x' }, { isUp: true, pageId: 'x' }, up]
  expect(wrong.some(isServedStatus)).toBe(false)
})
