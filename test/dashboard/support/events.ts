import { left, right } from 'fp-ts/lib/Either.js'
import type { Address, DepthError, PriceError } from 'svc-streams'
import { depth, price } from 'svc-streams/testing'
import type { Health } from '../../../src/dashboard/model/connection.js'
import type { DashboardEvent } from '../../../src/dashboard/model/dashboard.js'
import type { ConnectionStatus } from '../../../src/domain/status.js'
import { weth } from '../../support/tokens.js'

// Events of the page. `at`: in ms.

export const priced = (at: number, usd: number, address: Address = weth): DashboardEvent => ({
  _tag: 'Price',
  at,
  topic: `svc-${address}`,
  event: right(price(`svc-${address}`, usd, { receivedAt: at })),
})

export const priceFailed = (at: number, error: PriceError, address: Address = weth): DashboardEvent => ({
  _tag: 'Price',
  at,
  topic: `svc-${address}`,
  event: left(error),
})

export const depthRead = (at: number, address: Address = weth): DashboardEvent => ({
  _tag: 'Depth',
  at,
  mint: address,
  event: right(depth(address)),
})

export const depthFailed = (at: number, error: DepthError, address: Address = weth): DashboardEvent => ({
  _tag: 'Depth',
  at,
  mint: address,
  event: left(error),
})

export const statusChanged = (at: number, status: ConnectionStatus): DashboardEvent => ({
  _tag: 'Status',
  at,
  status,
})

export const healthRead = (at: number, health: Health): DashboardEvent => ({ _tag: 'Health', at, health })

export const open = (at: number, epoch = 1): DashboardEvent =>
  statusChanged(at, { _tag: 'Open', epoch, since: at })

export const openBehind = (at: number, behindMs: number): DashboardEvent =>
  statusChanged(at, { _tag: 'Open', epoch: 1, since: at, behindMs })

export const waiting = (at: number, reason: string): DashboardEvent =>
  statusChanged(at, { _tag: 'Waiting', attempt: 1, retryInMs: 100, reason })
