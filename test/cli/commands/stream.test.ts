import { left, right } from 'fp-ts/lib/Either.js'
import { NEVER } from 'rxjs'
import { createTestClient, depth, price } from 'svc-streams/testing'
import { describe, expect, test } from 'vitest'
import { Received, type StreamRun, watchRows$ } from '../../../src/cli/commands/shared/stream.js'
import {
  networkError,
  stale,
  subscriptionRejected,
  unauthorized,
  uncorrelatedError,
} from '../../../src/base/errors/constructors.js'
import type { Row } from '../../../src/backtest/recording/codec/row.js'
import { marbles } from '../../support/time/marbles.js'
import { depthFailure, depthRow, priceFailure, priceRow, statusRow } from '../support/rows.js'

describe('the events of the watched tokens', () => {
  const a = price('svc-0xaa', 1)
  const deep = depth('0xaa', {})
  const refused = left(subscriptionRejected('svc-0xbb', 'no'))
  const odd = uncorrelatedError('malformed', '')
  const idle = { _tag: 'Idle' } as const

  const priced = (at: number, topic: string, event: unknown) => ({ _tag: 'Price', at, topic, event })
  const ended = (at: number, of: string) => ({ _tag: 'End', at, of })

  test('emits all events with their time until all price streams have completed', () => {
    marbles(({ hot, expectObservable }) => {
      const client = createTestClient({
        prices: { 'svc-0xaa': hot('-a-------|', { a }), 'svc-0xbb': hot('--(l|)', { l: refused }) },
        depths: { '0xaa': hot('------d---', { d: deep }), '0xbb': NEVER },
        errors$: hot('-------e--e', { e: odd }),
        status$: hot('--------s-s', { s: idle }),
      })
      expectObservable(
        watchRows$({ client, depthClient: client, service: 'svc' }, ['0xaa', '0xbb'], 1000),
      ).toBe('-a(lm)des(z|)', {
        a: priced(1, 'svc-0xaa', right(a)),
        l: priced(2, 'svc-0xbb', refused),
        m: ended(2, 'svc-0xbb'),
        d: { _tag: 'Depth', at: 6, mint: '0xaa', event: right(deep) },
        e: { _tag: 'Uncorrelated', at: 7, error: odd },
        s: { _tag: 'Status', at: 8, status: idle },
        z: ended(9, 'svc-0xaa'),
      })
    })
  })

  test('requests no depth without a depth client, and the topics of the source', () => {
    marbles(({ hot, expectObservable }) => {
      const client = createTestClient({
        prices: { 'other-0xaa': hot('--a', { a: price('other-0xaa', 1) }) },
        depths: { '0xaa': hot('-d', { d: deep }) },
        status$: NEVER,
      })
      const source = { client, depthClient: undefined, service: 'other' }
      expectObservable(watchRows$(source, ['0xaa'], 1000)).toBe('--a', {
        a: priced(2, 'other-0xaa', right(price('other-0xaa', 1))),
      })
    })
  })

  test('completes immediately if all price streams do', () => {
    marbles(({ expectObservable }) => {
      const client = createTestClient({ status$: NEVER })
      const rows$ = watchRows$({ client, depthClient: undefined, service: 'svc' }, ['0xaa'], 1000)
      expectObservable(rows$).toBe('(rz|)', {
        r: priced(0, 'svc-0xaa', expect.objectContaining({ _tag: 'Left' })),
        z: ended(0, 'svc-0xaa'),
      })
    })
  })
})

describe('the failure of a command that streams', () => {
  const price = priceRow('svc-0xab', 2500)
  const noPrice = priceFailure('svc-0xab', stale('svc-0xab', 30_000, undefined))
  const rejected = depthFailure('0xab', unauthorized('no'))
  const unreachable = depthFailure('0xab', networkError(new Error('reset')))

  const firstLine = (rows: readonly Row[], end: StreamRun['end']): string | undefined => {
    const run = {
      command: 'watch',
      source: { host: 'prices.example:4000', serverFlag: undefined },
      duration: 5000,
      end,
    } as const
    const received = new Received()
    for (const row of rows) received.add(row)
    return received.failureText(run)?.split('\n')[0]
  }

  const noPriceText = 'no price arrived from prices.example:4000 in 5 s'
  const rejectedText = 'the service rejected the signature of every depth request'

  test.each<readonly [string, readonly Row[], StreamRun['end'], string | undefined]>([
    ['a price', [price], 'duration', undefined],
    ['a price, and later its error', [price, noPrice], 'duration', undefined],
    ['no event', [], 'duration', noPriceText],
    ['only errors of prices', [noPrice, statusRow({ _tag: 'Idle' })], 'duration', noPriceText],
    ['only a depth', [depthRow('0xab', 1n, 1n)], 'duration', noPriceText],
    ['no price before Ctrl-C', [noPrice], 'interrupted', undefined],
    ['no price before the pipe is closed', [noPrice, rejected], 'output closed', undefined],
    ['only rejected signatures', [price, rejected, rejected], 'interrupted', rejectedText],
    ['an accepted signature', [price, rejected, depthRow('0xab', 1n, 1n)], 'interrupted', undefined],
    ['another depth error', [price, rejected, unreachable], 'interrupted', undefined],
    [
      'the end of all streams',
      [noPrice],
      'completed',
      'no token left to watch: the service rejected every token',
    ],
  ])('reports the failure of a command that received %s', (_, rows, end, expected) => {
    expect(firstLine(rows, end)).toBe(expected)
  })
})
