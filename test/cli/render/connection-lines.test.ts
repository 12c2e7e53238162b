import { of, toArray } from 'rxjs'
import type { ConnectionStatus } from 'svc-streams'
import { expect, test } from 'vitest'
import { connectionLines$, type LogLine } from '../../../src/cli/render/connection-lines.js'

const linesOf = (...statuses: readonly ConnectionStatus[]): readonly LogLine[] => {
  let lines: readonly LogLine[] = []
  connectionLines$(of(...statuses), { down: 'Down.', behind: 'Behind.' })
    .pipe(toArray())
    .subscribe((all) => (lines = all))
  return lines
}

const open = (epoch: number, behindMs?: number): ConnectionStatus => ({
  _tag: 'Open',
  epoch,
  since: 0,
  ...(behindMs === undefined ? {} : { behindMs }),
})
const connecting = (attempt: number): ConnectionStatus => ({ _tag: 'Connecting', attempt })
const waiting = (attempt: number, reason = 'reset'): ConnectionStatus => ({
  _tag: 'Waiting',
  attempt,
  retryInMs: 250,
  reason,
})

const down = { level: 'warn', message: 'No connection to the service: reset. Down.' }
const held = { level: 'warn', message: 'The prices are 5.2 s behind. Behind.' }
const returned = { level: 'info', message: 'The service has returned.' }

test('prints no line for the first connection, and one for each loss and each return', () => {
  expect(linesOf({ _tag: 'Idle' }, connecting(1), open(1))).toEqual([])
  expect(linesOf(open(1), waiting(1), connecting(2), waiting(2), connecting(3), open(2))).toEqual([
    down,
    returned,
  ])
})

test('prints a line when the prices fall behind, and when they are current again', () => {
  expect(linesOf(open(1), open(1, 5234), open(1, 5300), open(1))).toEqual([
    held,
    { level: 'info', message: 'The prices are current again.' },
  ])
})

test('prints that the service is down, and has returned, when a connection that is behind is replaced', () => {
  expect(linesOf(open(1), open(1, 5234), waiting(1), connecting(2), open(2))).toEqual([held, down, returned])
})
