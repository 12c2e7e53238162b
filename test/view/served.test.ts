import { expect, test } from 'vitest'
import { nextServiceState, servedHealth, type ServiceState } from '../../src/view/served.js'
import type { ConnectionStatus } from '../../src/base/domain/status.js'

const idle: ServiceState = { status: { _tag: 'Idle' } }
const open = { _tag: 'Open', epoch: 1, since: 0 } as const
const up = { _tag: 'Up', behind: undefined }

const health = (state: ServiceState, now = 0) => servedHealth(state, now, 'closed')

test('servedHealth keeps the reason until the connection is open', () => {
  const statuses: readonly ConnectionStatus[] = [
    { _tag: 'Connecting', attempt: 1 },
    open,
    { _tag: 'Waiting', attempt: 1, retryInMs: 1, reason: 'refused' },
    { _tag: 'Connecting', attempt: 2 },
    { ...open, epoch: 2 },
    { _tag: 'Closed' },
  ]
  let state = idle
  const all = statuses.map((status) => health((state = nextServiceState(state, status, 0))))
  const refused = { _tag: 'Down', reason: 'refused' }
  expect(all).toEqual([up, up, refused, refused, up, { _tag: 'Down', reason: 'closed' }])
})

test('servedHealth has the time since the prices fell behind, until they are current again', () => {
  const behind = nextServiceState(idle, { ...open, behindMs: 5234 }, 100)
  expect(health(behind, 150)).toEqual({ _tag: 'Up', behind: { ms: 5234, forMs: 50 } })
  const longer = nextServiceState(behind, { ...open, behindMs: 6000 }, 200)
  expect(health(longer, 250)).toEqual({ _tag: 'Up', behind: { ms: 6000, forMs: 150 } })
  const current = nextServiceState(longer, open, 300)
  expect(health(current, 350)).toEqual(up)
  const again = nextServiceState(current, { ...open, behindMs: 5000 }, 400)
  expect(health(again, 401)).toEqual({ _tag: 'Up', behind: { ms: 5000, forMs: 1 } })
  const down = nextServiceState(again, { _tag: 'Waiting', attempt: 1, retryInMs: 1, reason: 'reset' }, 500)
  expect(health(down, 501)).toEqual({ _tag: 'Down', reason: 'reset' })
})
