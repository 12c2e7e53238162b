import { left, right } from 'fp-ts/lib/Either.js'
import { lastValueFrom, map, materialize, merge, switchMap, take } from 'rxjs'
import type { Address, Topic } from 'svc-streams'
import { replay } from 'svc-streams/recording'
import { depth, stale, subscriptionTimeout } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import type { Row } from '../../../src/backtest/recording/codec/row.js'
import {
  chunksOf,
  collect,
  down,
  errorRow,
  header,
  mint,
  other,
  priceRow,
  recordingText,
  replayAtOnce,
  start,
  summary$,
  topic,
} from '../recording/support/recordings.js'
import { playedRows } from '../recording/support/rows.js'

describe('replay', () => {
  it('emits the recorded events of each stream, and completes', async () => {
    const client = replayAtOnce(priceRow(1, 1), priceRow(2, 9, other), errorRow(3, down), priceRow(4, 2))
    const [own, others] = await Promise.all([collect(summary$(client)), collect(summary$(client, other))])
    expect(own).toEqual(['1', 'Disconnected', '2'])
    expect(others).toEqual(['9'])
    expect(await client.finished).toEqual(playedRows(4))
  })

  it('uses the spelling of the caller in topics and mints', async () => {
    const client = replayAtOnce(priceRow(1, 1), errorRow(2, stale(topic, 5, undefined)), {
      _tag: 'Depth',
      at: start + 3,
      mint,
      event: right(depth(mint)),
    })
    const [prices, depths] = await Promise.all([
      collect(client.price$('svc-0xAB')),
      collect(client.depth$('0xAB', 500)),
    ])
    expect(prices).toMatchObject([{ right: { topic: 'svc-0xAB' } }, { left: { topic: 'svc-0xAB' } }])
    expect(depths).toEqual([right(depth('0xAB'))])
  })

  it('emits the recorded status and Stale of a connection that is behind', async () => {
    const open = { _tag: 'Open', epoch: 1, since: 0 } as const
    const client = replayAtOnce(
      { _tag: 'Status', at: start, status: { ...open, behindMs: 5234 } },
      errorRow(1, stale(topic, 20, undefined, 5234)),
      { _tag: 'Status', at: start + 2, status: open },
      priceRow(3, 1),
    )
    const [statuses, prices] = await Promise.all([collect(client.status$), collect(client.price$(topic))])
    expect(statuses).toEqual([{ _tag: 'Idle' }, { ...open, behindMs: 5234 }, open])
    expect(prices).toMatchObject([{ left: { _tag: 'Stale', behindMs: 5234 } }, { right: { price: 1 } }])
  })

  it('gives a late subscriber the current price or outage, but no SubscriptionTimeout', async () => {
    const timedOut = subscriptionTimeout(topic, 5, [])
    const client = replayAtOnce(
      priceRow(1, 1),
      { _tag: 'Price', at: start + 2, topic, event: left(timedOut) },
      priceRow(3, 7, other),
      errorRow(4, down),
      priceRow(5, 8, other),
    )
    const late: string[][] = []
    await lastValueFrom(
      client.run$((inside) =>
        summary$(inside, other).pipe(
          map(() => {
            const seen: string[] = []
            late.push(seen)
            summary$(inside)
              .pipe(take(1))
              .subscribe((event) => seen.push(event))
          }),
        ),
      ),
    )
    expect(late).toEqual([['Disconnected'], ['Disconnected']])
  })

  it('rejects topics and mints that are not recorded or not valid, and an invalid interval', async () => {
    const client = replayAtOnce(priceRow(1, 1))
    const results = await Promise.all([
      collect(client.price$('svc-0xee')),
      collect(client.depth$('0xee', 100)),
      collect(client.price$('nonsense' as Topic)),
      collect(client.depth$('nonsense' as Address, 100)),
      collect(client.depth$(mint, 0)),
      collect(summary$(client)),
    ])
    expect(results).toMatchObject([
      [{ left: { _tag: 'SubscriptionRejected', reason: 'it is not in the recording' } }],
      [{ left: { _tag: 'UnsupportedPair', base: '0xee' } }],
      [{ left: { _tag: 'InvalidTopic' } }],
      [{ left: { _tag: 'InvalidMint' } }],
      [{ left: { _tag: 'InvalidInterval' } }],
      ['1'],
    ])
    // Also after the end of the recording.
    expect(await collect(client.price$('svc-0xee'))).toMatchObject([
      { left: { _tag: 'SubscriptionRejected' } },
    ])
  })

  it('emits the recorded status and uncorrelated errors, and Closed only on its own close()', async () => {
    const error = { _tag: 'UncorrelatedError', message: 'm', kind: 'error-text', input: 'x' } as const
    const client = replayAtOnce(
      { _tag: 'Status', at: start + 1, status: { _tag: 'Open', epoch: 3, since: start } },
      { _tag: 'Uncorrelated', at: start + 2, error },
      { _tag: 'Status', at: start + 3, status: { _tag: 'Closed' } },
      priceRow(4, 1),
    )
    const seen: unknown[] = []
    client.status$.subscribe((status) => seen.push(status._tag))
    client.errors$.subscribe((each) => seen.push(each))
    await collect(summary$(client))
    expect(seen).toEqual(['Idle', 'Open', error])
    expect(client.inspect().status).toEqual({ _tag: 'Open', epoch: 3, since: start })
    await client.close()
    client.status$.subscribe((status) => seen.push(status._tag))
    expect(seen.at(-1)).toBe('Closed')
  })

  it('completes a stream at its recorded completion', async () => {
    const client = replayAtOnce(
      priceRow(1, 1),
      { _tag: 'End', at: start + 2, of: topic },
      priceRow(3, 7, other),
    )
    const order: string[] = []
    await lastValueFrom(
      merge(
        summary$(client).pipe(
          materialize(),
          map(({ kind }) => `own ${kind}`),
        ),
        summary$(client, other).pipe(map(() => 'other')),
      ).pipe(map((what) => order.push(what))),
    )
    expect(order).toEqual(['own N', 'own C', 'other'])
  })

  it('resolves one-off requests with the first event', async () => {
    const rows: Row[] = [priceRow(1, 1), { _tag: 'Depth', at: start + 2, mint, event: right(depth(mint)) }]
    expect(await replayAtOnce(...rows).price(topic)()).toMatchObject({ right: { price: 1, epoch: 0 } })
    expect(await replayAtOnce(...rows).depth(mint)()).toEqual(right(depth(mint)))
    expect(await replayAtOnce(...rows).price(other)()).toMatchObject({ left: { _tag: 'NetworkError' } })
  })

  it('has the chain id of its environment', () => {
    expect(replay([]).chainId).toBe(42161)
    expect(replay([], { environment: 'testnet' }).chainId).toBe(421614)
  })

  it.each([0, -1, NaN, '2' as unknown as number])(
    'throws a ConfigurationError for a speed of %s',
    (speed) => {
      expect(() => replay([], { speed })).toThrow('speed: expected a number above 0, or Infinity')
    },
  )

  it('resolves header() without starting the replay', async () => {
    const client = replayAtOnce(priceRow(1, 1))
    expect(await client.header()).toEqual(right(header))
    expect(await collect(summary$(client))).toEqual(['1'])
    expect(await client.header()).toEqual(right(header))
    expect(await replay(chunksOf('nonsense')).header()).toMatchObject({
      left: { _tag: 'RecordingError', line: 1 },
    })
    const closed = replay(chunksOf(recordingText(header)))
    await closed.close()
    expect(await closed.header()).toMatchObject({ left: { _tag: 'ClientClosed' } })
  })

  it('gives a late subscriber the outage until the next price, also if the connection is open again', async () => {
    const open = { _tag: 'Status', at: start + 3, status: { _tag: 'Open', epoch: 2, since: start } } as const
    const client = replayAtOnce(
      priceRow(1, 1),
      errorRow(2, down),
      open,
      priceRow(4, 9, other),
      priceRow(5, 2),
    )
    const late = client.run$((inside) =>
      summary$(inside, other).pipe(
        take(1),
        switchMap(() => summary$(inside)),
      ),
    )
    expect(await collect(late)).toEqual(['Disconnected', '2'])
  })
})
