import { expect, test } from 'vitest'
import {
  isPageConfig,
  isServedPast,
  isServedStatus,
  nextServiceStatus,
  servedStatus,
  type ServiceStatus,
} from '../../../../src/desk/dashboard/model/served.js'
import type { ConnectionStatus } from '../../../../src/base/domain/status.js'
import { weth } from '../../../support/tokens.js'
import { config } from '../support/tokens.js'

test('isPageConfig accepts the configuration as JSON, and nothing else', () => {
  const served = { ...config, pageId: 'x' }
  expect(isPageConfig(JSON.parse(JSON.stringify(served)))).toBe(true)
  const wrong = [
    null,
    'x',
    {},
    config,
    { ...served, tokens: [{ ...config.tokens[0], address: 'ETH' }] },
    { ...served, environment: 'mars' },
    { ...served, depthInterval: undefined },
  ]
  expect(wrong.map(isPageConfig)).toEqual(wrong.map(() => false))
})

test('isServedPast accepts samples as JSON, and nothing else', () => {
  const past = {
    [weth]: [
      { times: [1, 2], prices: [5, null] },
      { times: [], prices: [] },
    ],
  }
  expect(isServedPast(JSON.parse(JSON.stringify(past)))).toBe(true)
  const wrong = [
    null,
    { [weth]: null },
    { [weth]: { times: [1] } },
    { [weth]: { times: [1], prices: [5, 6] } },
    { [weth]: { times: [1], prices: ['5'] } },
    { [weth]: { times: [null], prices: [5] } },
  ]
  expect(wrong.map(isServedPast)).toEqual(wrong.map(() => false))
})

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
  expect(servedStatus(behind, 150, 'x')).toEqual({ ...up, behind: { ms: 5234, forMs: 50 }, pageId: 'x' })
  const longer = next(behind, { ...open, behindMs: 6000 }, 200)
  expect(servedStatus(longer, 250, 'x')).toMatchObject({ behind: { ms: 6000, forMs: 150 } })
  const current = next(longer, open, 300)
  expect(servedStatus(current, 350, 'x')).toEqual({ ...up, pageId: 'x' })
  const again = next(current, { ...open, behindMs: 5000 }, 400)
  expect(servedStatus(again, 401, 'x')).toMatchObject({ behind: { forMs: 1 } })
  const down = next(again, { _tag: 'Waiting', attempt: 1, retryInMs: 1, reason: 'reset' }, 500)
  expect(servedStatus(down, 501, 'x')).toEqual({ isUp: false, reason: 'reset', pageId: 'x' })
})

test('isServedStatus accepts a status as JSON, and nothing else', () => {
  expect(isServedStatus({ ...up, pageId: 'x' })).toBe(true)
  const behind = { ms: 5234, forMs: 50 }
  expect(isServedStatus({ ...up, behind, pageId: 'x' })).toBe(true)
  expect(isServedStatus({ ...up, behind: { ms: 5234 }, pageId: 'x' })).toBe(false)
  const wrong = [null, 'up', {}, { ...up, isUp: 1, pageId: 'x' }, { isUp: true, pageId: 'x' }, up]
  expect(wrong.some(isServedStatus)).toBe(false)
})
