import { left, right } from 'fp-ts/lib/Either.js'
import type { Address, DepthError, PriceError } from 'svc-streams'
import { depth, price } from 'svc-streams/testing'
import type { Health } from '../../../src/view/connection.js'
import { createUpdate, emptyDisplay, type Display, type DisplayEvent } from '../../../src/view/display.js'
import type { DisplayToken } from '../../../src/view/token-state.js'
import type { ConnectionStatus } from '../../../src/base/domain/snapshot.js'
import { weth } from '../../support/tokens.js'

/** What the page shows of these tokens after these events. */
export const displayAfter = (tokens: readonly DisplayToken[], events: readonly DisplayEvent[]): Display =>
  events.reduce(createUpdate(), emptyDisplay(tokens))

// Events of the page. `at`: in ms.

export const priced = (at: number, usd: number, address: Address = weth): DisplayEvent => ({
  _tag: 'Price',
  at,
  topic: `svc-${address}`,
  event: right(price(`svc-${address}`, usd, { receivedAt: at })),
})

export const priceFailed = (at: number, error: PriceError, address: Address = weth): DisplayEvent => ({
  _tag: 'Price',
  at,
  topic: `svc-${address}`,
  event: left(error),
})

export const priceEnded = (at: number, address: Address = weth): DisplayEvent => ({
  _tag: 'End',
  at,
  of: `svc-${address}`,
})

export const depthRead = (at: number, address: Address = weth): DisplayEvent => ({
  _tag: 'Depth',
  at,
  mint: address,
  event: right(depth(address)),
})

export const depthFailed = (at: number, error: DepthError, address: Address = weth): DisplayEvent => ({
  _tag: 'Depth',
  at,
  mint: address,
  event: left(error),
})

export const statusChanged = (at: number, status: ConnectionStatus): DisplayEvent => ({
  _tag: 'Status',
  at,
  status,
})

export const healthRead = (at: number, health: Health): DisplayEvent => ({ _tag: 'Health', at, health })

export const open = (at: number, epoch = 1): DisplayEvent =>
  statusChanged(at, { _tag: 'Open', epoch, since: at })

export const openBehind = (at: number, behindMs: number): DisplayEvent =>
  statusChanged(at, { _tag: 'Open', epoch: 1, since: at, behindMs })

export const waiting = (at: number, reason: string): DisplayEvent =>
  statusChanged(at, { _tag: 'Waiting', attempt: 1, retryInMs: 100, reason })
