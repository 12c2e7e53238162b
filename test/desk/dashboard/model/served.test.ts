import { expect, test } from 'vitest'
import {
  nextServiceStatus,
  servedStatus,
  type ServiceStatus,
} from '../../../../src/desk/dashboard/model/served.js'
import type { ConnectionStatus } from '../../../../src/base/domain/status.js'

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
  let status: ServiceStatus = up
  const all = statuses.map((next) => (status = nextServiceStatus(status, next, 0, 'closed')))
  const refused = { isUp: false, reason: 'refused' }
  expect(all).toEqual([up, up, refused, refused, up, { isUp: false, reason: 'closed' }])
})

test('nextServiceStatus keeps when the prices fell behind, until they are current again', () => {
  const open = { _tag: 'Open', epoch: 1, since: 0 } as const
  const next = (before: ServiceStatus, status: ConnectionStatus, at: number) =>
    nextServiceStatus(before, status, at, 'closed')
  const behind = next(up, { ...open, behindMs: 5234 }, 100)
  expect(servedStatus(behind, 150)).toEqual({ ...up, behind: { ms: 5234, forMs: 50 } })
  const longer = next(behind, { ...open, behindMs: 6000 }, 200)
  expect(servedStatus(longer, 250)).toMatchObject({ behind: { ms: 6000, forMs: 150 } })
  const current = next(longer, open, 300)
  expect(servedStatus(current, 350)).toEqual(up)
  const again = next(current, { ...open, behindMs: 5000 }, 400)
  expect(servedStatus(again, 401)).toMatchObject({ behind: { forMs: 1 } })
  const down = next(again, { _tag: 'Waiting', attempt: 1, retryInMs: 1, reason: 'reset' }, 500)
  expect(servedStatus(down, 501)).toEqual({ isUp: false, reason: 'reset' })
})
