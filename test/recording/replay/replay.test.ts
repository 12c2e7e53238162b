import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { left, right } from 'fp-ts/lib/Either.js'
import {
  asyncScheduler,
  bufferTime,
  filter,
  firstValueFrom,
  interval,
  lastValueFrom,
  map,
  materialize,
  merge,
  NEVER,
  of,
  switchMap,
  take,
  timer,
  toArray,
  type Observable,
} from 'rxjs'
import { renderError, type Address, type Client, type Topic } from 'svc-streams'
import { candles, freshWithin, rights } from 'svc-streams/operators'
import { replay } from 'svc-streams/recording'
import { depth, disconnected, price, stale, subscriptionTimeout } from 'svc-streams/testing'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { encodeRow } from '../../../src/recording/format/row-codec.js'
import type { RecordingHeader, Row } from '../../../src/recording/format/row.js'
import { rowsOf } from '../support/rows.js'

const topic: Topic = 'svc-0xab'
const other: Topic = 'svc-0xcd'
const mint: Address = '0xab'
/** A whole minute. */
const start = 1_700_000_040_000

const header: RecordingHeader = {
  _tag: 'Recording',
  version: 1,
  at: start,
  topics: [topic, other],
  mints: [mint],
  interval: 100,
}

const priced = (ms: number, usd: number, of: Topic = topic): Row => ({
  _tag: 'Price',
  at: start + ms,
  topic: of,
  event: right(price(of, usd, { receivedAt: start + ms })),
})

const failed = (
  ms: number,
  error: ReturnType<typeof stale | typeof disconnected | typeof subscriptionTimeout>,
): Row => ({
  _tag: 'Price',
  at: start + ms,
  topic,
  event: left(error),
})

const textOf = (...rows: readonly (Row | RecordingHeader)[]): string =>
  rows.map((row) => `${encodeRow(row)}\n`).join('')

const quick = (...rows: readonly Row[]) => replay([textOf(header, ...rows)], { speed: Infinity })

const down = disconnected({ code: 1006, reason: 'gone', attempt: 1, retryInMs: 5 })

/** What a stream gives, brief. */
const brief$ = (client: Client, of: Topic = topic): Observable<string> =>
  client
    .price$(of)
    .pipe(map((event) => (event._tag === 'Right' ? String(event.right.price) : event.left._tag)))

const allOf = <A>(source$: Observable<A>): Promise<readonly A[]> => lastValueFrom(source$.pipe(toArray()))

describe('a client over a recording', () => {
  it('gives to each stream what was recorded of it, and completes', async () => {
    const client = quick(priced(1, 1), priced(2, 9, other), failed(3, down), priced(4, 2))
    const [own, others] = await Promise.all([allOf(brief$(client)), allOf(brief$(client, other))])
    expect(own).toEqual(['1', 'Disconnected', '2'])
    expect(others).toEqual(['9'])
    expect(await client.finished).toEqual(rowsOf(4))
  })

  it('spells topics and mints as the caller did', async () => {
    const client = quick(priced(1, 1), failed(2, stale(topic, 5, undefined)), {
      _tag: 'Depth',
      at: start + 3,
      mint,
      event: right(depth(mint)),
    })
    const [prices, depths] = await Promise.all([
      allOf(client.price$('svc-0xAB')),
      allOf(client.depth$('0xAB', 500)),
    ])
    expect(prices).toMatchObject([{ right: { topic: 'svc-0xAB' } }, { left: { topic: 'svc-0xAB' } }])
    expect(depths).toEqual([right(depth('0xAB'))])
  })

  it('tells who comes late what holds then: a price, or that there is none', async () => {
    const unanswered = subscriptionTimeout(topic, 5, [])
    const client = quick(
      priced(1, 1),
      { _tag: 'Price', at: start + 2, topic, event: left(unanswered) },
      priced(3, 7, other),
      failed(4, down),
      priced(5, 8, other),
    )
    const late: string[][] = []
    await lastValueFrom(
      client.run$((inside) =>
        brief$(inside, other).pipe(
          map(() => {
            const seen: string[] = []
            late.push(seen)
            brief$(inside)
              .pipe(take(1))
              .subscribe((event) => seen.push(event))
          }),
        ),
      ),
    )
    expect(late).toEqual([['1'], ['Disconnected']])
  })

  it('rejects what is not in the recording, and what is no topic, mint or interval', async () => {
    const client = quick(priced(1, 1))
    const results = await Promise.all([
      allOf(client.price$('svc-0xee')),
      allOf(client.depth$('0xee', 100)),
      allOf(client.price$('nonsense' as Topic)),
      allOf(client.depth$('nonsense' as Address, 100)),
      allOf(client.depth$(mint, 0)),
      allOf(brief$(client)),
    ])
    expect(results).toMatchObject([
      [{ left: { _tag: 'SubscriptionRejected', reason: 'it is not in the recording' } }],
      [{ left: { _tag: 'UnsupportedPair', base: '0xee' } }],
      [{ left: { _tag: 'InvalidTopic' } }],
      [{ left: { _tag: 'InvalidMint' } }],
      [{ left: { _tag: 'InvalidInterval' } }],
      ['1'],
    ])
    // And later too.
    expect(await allOf(client.price$('svc-0xee'))).toMatchObject([{ left: { _tag: 'SubscriptionRejected' } }])
  })

  it('has the status of the connection, and what belonged to no topic', async () => {
    const error = { _tag: 'UncorrelatedError', message: 'm', kind: 'error-text', input: 'x' } as const
    const client = quick(
      { _tag: 'Status', at: start + 1, status: { _tag: 'Open', epoch: 3, since: start } },
      { _tag: 'Uncorrelated', at: start + 2, error },
      { _tag: 'Status', at: start + 3, status: { _tag: 'Closed' } },
      priced(4, 1),
    )
    const seen: unknown[] = []
    client.status$.subscribe((status) => seen.push(status._tag))
    client.errors$.subscribe((each) => seen.push(each))
    await allOf(brief$(client))
    expect(seen).toEqual(['Idle', 'Open', error])
    expect(client.inspect().status).toEqual({ _tag: 'Open', epoch: 3, since: start })
    await client.close()
    expect(seen.at(-1)).toBe('Closed')
  })

  it('ends a stream where it was recorded that it ended', async () => {
    const client = quick(priced(1, 1), { _tag: 'End', at: start + 2, of: topic }, priced(3, 7, other))
    const order: string[] = []
    await lastValueFrom(
      merge(
        brief$(client).pipe(
          materialize(),
          map(({ kind }) => `own ${kind}`),
        ),
        brief$(client, other).pipe(map(() => 'other')),
      ).pipe(map((what) => order.push(what))),
    )
    expect(order).toEqual(['own N', 'own C', 'other'])
  })

  it('answers one-off requests by what comes first', async () => {
    const rows: Row[] = [priced(1, 1), { _tag: 'Depth', at: start + 2, mint, event: right(depth(mint)) }]
    expect(await quick(...rows).price(topic)()).toMatchObject({ right: { price: 1, epoch: 0 } })
    expect(await quick(...rows).depth(mint)()).toEqual(right(depth(mint)))
    expect(await quick(...rows).price(other)()).toMatchObject({ left: { _tag: 'NetworkError' } })
  })

  it('is of an environment', () => {
    expect(replay([]).chainId).toBe(42161)
    expect(replay([], { environment: 'testnet' }).chainId).toBe(421614)
  })

  it.each([0, -1, NaN, '2' as unknown as number])('refuses a speed of %s', (speed) => {
    expect(() => replay([], { speed })).toThrow('speed: expected a number above 0, or Infinity')
  })

  it('completes all streams and lets go of the source when it is closed', async () => {
    let returned = false
    async function* endless() {
      try {
        yield textOf(header)
        for (let ms = 1; ; ms++) yield await Promise.resolve(textOf(priced(ms, ms)))
      } finally {
        returned = true
      }
    }
    const client = replay(endless(), { speed: Infinity })
    const done = lastValueFrom(brief$(client))
    await firstValueFrom(brief$(client).pipe(filter((event) => event === '100')))
    await client.close()
    await done
    await client.finished
    await vi.waitFor(() => expect(returned).toBe(true))
    expect(await allOf(client.price$(topic))).toMatchObject([{ left: { _tag: 'ClientClosed' } }])
  })

  it('lets go of a stream that has no more to give yet when it is closed, whatever comes then', async () => {
    const source = new PassThrough()
    source.write(textOf(header, priced(1, 1)))
    const client = replay(source, { speed: Infinity })
    const told = allOf(brief$(client))
    await firstValueFrom(brief$(client))
    await client.close()
    expect(source.destroyed).toBe(true)
    expect(await told).toEqual(['1'])
    expect(await client.finished).toEqual(rowsOf(1))
  })

  it('says what it is of, while time stands still', async () => {
    const client = quick(priced(1, 1))
    expect(await client.header()).toEqual(right(header))
    expect(await allOf(brief$(client))).toEqual(['1'])
    expect(await client.header()).toEqual(right(header))
    expect(await replay(['nonsense']).header()).toMatchObject({ left: { _tag: 'RecordingError', line: 1 } })
    const closed = replay([textOf(header)])
    await closed.close()
    expect(await closed.header()).toMatchObject({ left: { _tag: 'ClientClosed' } })
  })

  it('takes recordings one after the other as one', async () => {
    const again = { ...header, at: start + 10, topics: [topic, 'svc-0xee'] } as const
    const text = textOf(header, priced(1, 1), again, priced(11, 2), priced(12, 3, 'svc-0xee'))
    for (const written of [text, text.replaceAll('":', '": ').replaceAll('{"', '{ "')]) {
      const client = replay([written], { speed: Infinity })
      expect(await allOf(brief$(client))).toEqual(['1', '2'])
    }
  })

  it('goes on after the recorded client was closed, which ended its streams, where another recording follows', async () => {
    const closed: readonly Row[] = [
      { _tag: 'Status', at: start + 2, status: { _tag: 'Closed' } },
      { _tag: 'End', at: start + 2, of: topic },
    ]
    const again = { ...header, at: start + 10 } as const
    const client = replay([textOf(header, priced(1, 1), ...closed, again, priced(11, 2), ...closed)], {
      speed: Infinity,
    })
    expect(await allOf(brief$(client))).toEqual(['1', '2'])
    expect(await client.finished).toEqual(rowsOf(6))
  })

  it('counts a row that is told when it is closed', async () => {
    const client = quick(priced(1, 1), priced(2, 2), priced(3, 3))
    client.price$(topic).subscribe((event) => {
      if (event._tag === 'Right' && event.right.price === 2) void client.close()
    })
    expect(await client.finished).toEqual(rowsOf(2))
  })

  it('tells who comes late nothing of a connection that was down and is open again', async () => {
    const open = { _tag: 'Status', at: start + 3, status: { _tag: 'Open', epoch: 2, since: start } } as const
    const client = quick(priced(1, 1), failed(2, down), open, priced(4, 9, other), priced(5, 2))
    const late = client.run$((inside) =>
      brief$(inside, other).pipe(
        take(1),
        switchMap(() => brief$(inside)),
      ),
    )
    expect(await allOf(late)).toEqual(['2'])
  })
})

describe('the time of a recording', () => {
  it('is that of all clocks and timers inside, to the millisecond', async () => {
    const client = quick(priced(10, 1), priced(20, 2), priced(5000, 3), priced(5001, 4))
    const inside = await allOf(
      client.run$((each) =>
        merge(
          each.price$(topic).pipe(
            freshWithin(1000),
            map((event) => event._tag),
          ),
          interval(2000).pipe(map((n) => `tick ${n}`)),
          timer(30).pipe(map(() => 'timer')),
        ).pipe(map((what) => `${asyncScheduler.now() - start} ${what}`)),
      ),
    )
    expect(inside).toEqual([
      '10 Right',
      '20 Right',
      '30 timer',
      '1020 Left',
      '2000 tick 0',
      '4000 tick 1',
      '5000 Right',
      '5001 Right',
    ])
  })

  it('is the real one elsewhere, meanwhile too', async () => {
    const client = quick(priced(10, 1), priced(20, 2))
    const before = Date.now()
    const outside: number[] = []
    const real = firstValueFrom(timer(1).pipe(map(() => outside.push(asyncScheduler.now()))))
    await allOf(client.run$((inside) => brief$(inside)))
    await real
    expect(outside[0]).toBeGreaterThanOrEqual(before)
  })

  it('drives what streams cause even without run$', async () => {
    const client = quick(...[0, 1, 2, 3].map((n) => priced(n * 30_000, n + 1)))
    const seen = await allOf(client.price$(topic).pipe(candles(60_000), rights()))
    expect(seen.map(({ open, close, from }) => [open, close, from - start])).toEqual([[1, 2, 0]])
  })

  it('completes what runs in it when it is over, timers that nobody waits for included', async () => {
    const client = quick(priced(10, 1))
    expect(await allOf(client.run$(() => interval(4)))).toEqual([0, 1])
  })

  it('is over for who comes after it', async () => {
    const client = quick(priced(10, 1))
    await allOf(client.run$(brief$))
    expect(await allOf(client.run$(() => interval(4)))).toEqual([])
    expect(await allOf(client.price$(topic))).toEqual([])
  })

  it('is left cleanly: what is unsubscribed from outside stops its timers', async () => {
    const client = quick(...Array.from({ length: 2000 }, (_, n) => priced(n, n + 1)))
    const ticks: number[] = []
    const buffers = client.run$((inside) => inside.price$(topic).pipe(bufferTime(10))).subscribe()
    const direct = client.price$(topic).pipe(freshWithin(3)).subscribe()
    client.run$(() => interval(7)).subscribe((tick) => ticks.push(tick))
    await firstValueFrom(brief$(client).pipe(filter((event) => event === '300')))
    buffers.unsubscribe()
    direct.unsubscribe()
    expect(await client.finished).toEqual(rowsOf(2000))
    expect(ticks).toHaveLength(285)
  })

  it('reports what a timer inside throws, and goes on', async () => {
    const thrown: unknown[] = []
    const onThrown = (error: unknown) => thrown.push(error)
    process.once('uncaughtException', onThrown)
    const listeners = process.listeners('uncaughtException').filter((each) => each !== onThrown)
    listeners.forEach((each) => process.off('uncaughtException', each))
    const client = quick(priced(10, 1), priced(20, 2))
    const prices = await allOf(
      client.run$((inside) => {
        asyncScheduler.schedule(() => {
          throw new Error('mine')
        }, 5)
        return brief$(inside)
      }),
    )
    await vi.waitFor(() => expect(thrown).toMatchObject([{ message: 'mine' }]))
    listeners.forEach((each) => process.on('uncaughtException', each))
    expect(prices).toEqual(['1', '2'])
  })

  it('gives the same each time', async () => {
    const rows = Array.from({ length: 500 }, (_, n) =>
      priced((n * 7919) % 100 === 0 ? n * 90 : n * 100, n + 1),
    )
    const strategy$ = (client: Client) =>
      client.price$(topic).pipe(
        freshWithin(40),
        bufferTime(333),
        map((events) => JSON.stringify(events)),
      )
    const first = await allOf(quick(...rows).run$(strategy$))
    expect(await allOf(quick(...rows).run$(strategy$))).toEqual(first)
    expect(first.length).toBeGreaterThan(100)
  })

  it('stands still while nobody listens, and nothing is lost', async () => {
    let pulled = 0
    function* pieces() {
      yield textOf(header)
      for (let ms = 1; ms <= 100; ms++) {
        pulled++
        yield textOf(priced(ms, ms))
      }
    }
    const client = replay(pieces(), { speed: Infinity })
    expect(await firstValueFrom(brief$(client))).toBe('1')
    await new Promise((resolve) => setImmediate(resolve))
    expect(pulled).toBeLessThanOrEqual(2)
    expect(await allOf(brief$(client).pipe(take(3)))).toEqual(['1', '2', '3'])
    expect((await allOf(brief$(client))).slice(-1)).toEqual(['100'])
  })
})

describe('a recording that is damaged', () => {
  const cleanups: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0)) await cleanup()
  })

  const good = [priced(1, 1), priced(2, 2)]
  const goodText = textOf(header, ...good)

  it.each<[string, string, number, RegExp]>([
    ['is cut', goodText.slice(0, -20), 3, /^line 3 of the recording: expected JSON/],
    ['has a line that is no JSON', `${goodText}{"at":}\n${textOf(priced(3, 3))}`, 4, /line 4.*expected JSON/],
    [
      'has a row of another kind',
      `${goodText}{"_tag":"Trade","at":1}\n`,
      4,
      /line 4 of the recording: expected a row of a recording, got an object/,
    ],
    [
      'has a price that is none',
      `${goodText}${textOf(priced(3, -1))}`,
      4,
      /price: expected a finite number above 0/,
    ],
    ['has no header', textOf(...good), 1, /line 1 of the recording: _tag: expected "Recording", got "Price"/],
    [
      'is of a later version',
      goodText.replace('"version":1', '"version":2'),
      1,
      /version: expected 1, got 2/,
    ],
    ['is empty', '', 1, /line 1 of the recording: expected a recording, got nothing/],
    ['is something else', '\u0000\u0001PNG', 1, /line 1 of the recording: expected JSON/],
  ])('%s: all before it, then an error that names the line', async (_, text, line, message) => {
    const client = replay([text], { speed: Infinity })
    const events = await allOf(client.price$(topic))
    const before = line === 1 ? [] : line === 3 ? good.slice(0, 1) : good
    expect(events.slice(0, -1)).toEqual(before.map((row) => row._tag === 'Price' && row.event))
    expect(events.at(-1)).toMatchObject({ left: { _tag: 'DecodeError' } })
    const result = await client.finished
    expect(result).toMatchObject({ left: { _tag: 'RecordingError', line } })
    expect(result._tag === 'Left' && result.left.message).toMatch(message)
    expect(result._tag === 'Left' && renderError(result.left)).toMatch(/^RecordingError: line/)
    // Who comes after that hears it too.
    expect(await allOf(client.price$(other))).toMatchObject([{ left: { _tag: 'DecodeError' } }])
  })

  it('has no beginning: a strategy hears of it too', async () => {
    const client = replay(['nonsense'], { speed: Infinity })
    expect(await allOf(client.run$((inside) => brief$(inside)))).toEqual(['DecodeError'])
  })

  it('cannot be read: so too', async () => {
    const client = replay('/no/such/file.ndjson', { speed: Infinity })
    expect(await allOf(client.price$(topic))).toMatchObject([{ left: { _tag: 'DecodeError' } }])
    expect(await client.finished).toMatchObject({
      left: { line: 1, issues: [{ actual: expect.stringMatching(/ENOENT/) as string }] },
    })
  })

  it('fails while it is read: so too', async () => {
    async function* failing() {
      yield await Promise.resolve(goodText)
      throw new Error('the disk is on fire')
    }
    const client = replay(failing(), { speed: Infinity })
    expect(await allOf(brief$(client))).toEqual(['1', '2', 'DecodeError'])
    expect(await client.finished).toMatchObject({ left: { line: 4 } })
  })

  it('has a line without an end: it is not read into memory', async () => {
    let pieces = 0
    function* endless() {
      for (;;) {
        pieces++
        yield 'x'.repeat(2 ** 16)
      }
    }
    const client = replay(endless(), { speed: Infinity })
    expect(await allOf(brief$(client))).toEqual(['DecodeError'])
    expect(pieces).toBeLessThan(100)
  })

  it('may lack its last line end, have empty lines, or those of another system', async () => {
    const text = `${goodText.replaceAll('\n', '\r\n')}\r\n\r\n${textOf(priced(3, 3)).trimEnd()}`
    expect(await allOf(brief$(replay([text], { speed: Infinity })))).toEqual(['1', '2', '3'])
  })

  it('comes in pieces cut anywhere, as text or bytes, and is the same', async () => {
    const text = textOf(header, priced(1, 1), failed(2, { ...down, reason: 'größer 🐻' }), priced(3, 3))
    const expected = await allOf(replay([text], { speed: Infinity }).price$(topic))
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 30 }), async (sizes) => {
        const bytes = Buffer.from(text)
        const pieces: Uint8Array[] = []
        let from = 0
        for (const size of sizes) {
          pieces.push(bytes.subarray(from, from + size))
          from += size
        }
        pieces.push(bytes.subarray(from))
        expect(await allOf(replay(pieces, { speed: Infinity }).price$(topic))).toEqual(expected)
      }),
    )
  })

  it('never does anything worse, whatever byte is wrong: a beginning of it, and perhaps an error', async () => {
    const rows = Array.from({ length: 10 }, (_, n) => priced(n, n + 1))
    const text = textOf(header, ...rows)
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length - 1), fc.nat(255), fc.nat(2), async (at, byte, how) => {
        const bytes = [...Buffer.from(text)]
        if (how === 0) bytes[at] = byte
        else if (how === 1) bytes.splice(at, 1)
        else bytes.length = at
        const client = replay([Uint8Array.from(bytes)], { speed: Infinity })
        // Listening to the end, whatever becomes of the topic.
        const seen = await allOf(client.run$((inside) => merge(inside.price$(topic), NEVER)))
        const result = await client.finished
        if (result._tag === 'Left') {
          expect(result.left.line).toBeLessThanOrEqual(rows.length + 1)
          expect(seen.slice(0, -1)).toEqual(
            rows.slice(0, Math.max(0, result.left.line - 2)).map((row) => row._tag === 'Price' && row.event),
          )
        }
      }),
      { numRuns: 500 },
    )
  })

  it('is read from a file, by its path or URL', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'replay-'))
    cleanups.push(() => rm(folder, { recursive: true }))
    const path = join(folder, 'market.ndjson')
    writeFileSync(path, goodText)
    expect(await allOf(brief$(replay(path, { speed: Infinity })))).toEqual(['1', '2'])
    expect(await allOf(brief$(replay(pathToFileURL(path), { speed: 1000 })))).toEqual(['1', '2'])
  })
})

describe('at a finite speed', () => {
  it('rows come at their distances, divided by it, after the real clock', async () => {
    const began = performance.now()
    const client = replay([textOf(header, priced(0, 1), priced(4000, 2))], { speed: 100 })
    expect(await allOf(brief$(client))).toEqual(['1', '2'])
    // A timer may be a millisecond early by another clock.
    expect(performance.now() - began).toBeGreaterThan(38)
  })

  it('can be closed in the middle of a wait', async () => {
    const client = replay([textOf(header, priced(0, 1), priced(2 ** 40, 2))])
    const all = allOf(brief$(client))
    await firstValueFrom(brief$(client))
    await client.close()
    expect(await all).toEqual(['1'])
    expect(await client.finished).toEqual(rowsOf(1))
  })

  it('time stands still while nobody listens, from the moment that the last one leaves', async () => {
    const unanswered = subscriptionTimeout(topic, 5, [])
    const client = replay([textOf(header, priced(0, 1), failed(40, unanswered), priced(80, 2))])
    expect(await firstValueFrom(brief$(client))).toBe('1')
    const elsewhere = replay([textOf(header, priced(0, 1), priced(100, 2))])
    await allOf(brief$(elsewhere))
    // Who takes what holds and goes does not move it either.
    for (let n = 0; n < 3; n++) expect(await firstValueFrom(brief$(client))).toBe('1')
    expect(await allOf(brief$(client))).toEqual(['1', 'SubscriptionTimeout', '2'])
  })

  it('run$ is over with the recording too', async () => {
    const client = replay([textOf(header, priced(0, 1))], { speed: 1000 })
    expect(await allOf(client.run$((inside) => merge(brief$(inside), of('x'))))).toEqual(['x', '1'])
  })
})
