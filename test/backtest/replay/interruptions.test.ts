import { isLeft, isRight, left, right } from 'fp-ts/lib/Either.js'
import {
  filter,
  firstValueFrom,
  ignoreElements,
  map,
  merge,
  switchMap,
  take,
  tap,
  timer,
  type Observable,
} from 'rxjs'
import type { Client, ConnectionStatus } from 'svc-streams'
import { candles, rights } from 'svc-streams/operators'
import { replay } from 'svc-streams/recording'
import { depth, disconnected, price } from 'svc-streams/testing'
import { describe, expect, it } from 'vitest'
import type { RecordingHeader, Row } from '../../../src/backtest/recording/codec/row.js'
import { deferred } from '../../../src/base/task/deferred.js'
import { eventually } from '../../support/time/eventually.js'
import {
  chunksOf,
  collect,
  header,
  mint,
  other,
  priceRow,
  recordingText,
  start,
  topic,
} from '../recording/support/recordings.js'

// A replay has no current price where the recording has none: during an outage, after the recorded client was closed, and
// from one recording to the next.

const hour = 3_600_000

const statusRow = (ms: number, status: ConnectionStatus): Row => ({ _tag: 'Status', at: start + ms, status })

const waiting = (ms: number, attempt = 1): Row =>
  statusRow(ms, { _tag: 'Waiting', attempt, retryInMs: 250, reason: 'socket closed' })

const open = (ms: number, epoch: number): Row => statusRow(ms, { _tag: 'Open', epoch, since: start + ms })

const closed = (ms: number): Row => statusRow(ms, { _tag: 'Closed' })

const end = (ms: number): Row => ({ _tag: 'End', at: start + ms, of: topic })

const inEpoch = (ms: number, usd: number, epoch: number): Row => ({
  _tag: 'Price',
  at: start + ms,
  topic,
  event: right(price(topic, usd, { receivedAt: start + ms, epoch })),
})

const depthRow = (ms: number, usd: number): Row => ({
  _tag: 'Depth',
  at: start + ms,
  mint,
  event: right(depth(mint, { price: usd })),
})

const outage = (ms: number): Row => ({
  _tag: 'Price',
  at: start + ms,
  topic,
  event: left(disconnected({ code: 1001, reason: 'socket closed', attempt: 1, retryInMs: 250 })),
})

const headerAt = (ms: number): RecordingHeader => ({ ...header, at: start + ms })

const replayOf = (...lines: readonly (Row | RecordingHeader)[]) =>
  replay(chunksOf(recordingText(header, ...lines)), { speed: Infinity })

/** The events of a topic, each with its time since the start: a price with its epoch, or the tag of an error. */
const events$ = (client: Client, of = topic): Observable<string> =>
  client
    .price$(of)
    .pipe(map((event) => (isRight(event) ? `${event.right.price}/${event.right.epoch}` : event.left._tag)))

/** What a subscriber gets that subscribes at a time, in ms since the start: its first event. */
const lateAt =
  (ms: number, of = topic) =>
  (client: Client) =>
    merge(
      client.price$(topic).pipe(filter(() => false)),
      timer(ms).pipe(
        switchMap(() => events$(client, of)),
        take(1),
      ),
    )

describe('a second recording', () => {
  const recordings = [inEpoch(10, 1, 1), inEpoch(20, 2, 3), headerAt(2 * hour), inEpoch(2 * hour + 10, 3, 1)]

  it('emits Disconnected on each topic, and continues the epochs', async () => {
    expect(await collect(replayOf(...recordings).run$((client) => events$(client)))).toEqual([
      '1/1',
      '2/3',
      'Disconnected',
      '3/4',
    ])
  })

  it('gives no price of the first to a late subscriber, also of a topic without a price', async () => {
    const at = 2 * hour + 5
    expect(await collect(replayOf(...recordings).run$(lateAt(at)))).toEqual(['Disconnected'])
    expect(await collect(replayOf(...recordings).run$(lateAt(at, other)))).toEqual(['Disconnected'])
    // A price is current until the recording shows that it is not: the recorder may have been killed.
    expect(await collect(replayOf(...recordings).run$(lateAt(hour)))).toEqual(['2/3'])
  })

  it('keeps its topics down until their next price, also when its connection is open', async () => {
    const opened = [...recordings.slice(0, 3), open(2 * hour + 1, 1), ...recordings.slice(3)]
    expect(await collect(replayOf(...opened).run$(lateAt(2 * hour + 5)))).toEqual(['Disconnected'])
  })

  it('counts as an interruption of the candle', async () => {
    const client = replayOf(inEpoch(10, 1, 1), headerAt(20), inEpoch(30, 2, 1), inEpoch(70_000, 3, 1))
    const [first] = await collect(client.run$((each) => each.price$(topic).pipe(candles(60_000), rights())))
    // The Disconnected, and the price with another epoch.
    expect(first).toMatchObject({ count: 2, interruptions: 2 })
  })

  it('emits no second Disconnected if the first recording ended in an outage', async () => {
    const client = replayOf(
      inEpoch(10, 1, 1),
      waiting(20),
      outage(20),
      headerAt(hour),
      inEpoch(hour + 1, 2, 1),
    )
    expect(await collect(client.run$((each) => events$(each)))).toEqual(['1/1', 'Disconnected', '2/2'])
  })

  it('continues the epochs of its status, and of the last price of a Stale', async () => {
    const stale: Row = {
      _tag: 'Price',
      at: start + hour + 20,
      topic,
      event: left({
        _tag: 'Stale',
        message: 'm',
        topic,
        silentForMs: 10,
        last: price(topic, 3, { epoch: 1 }),
        behindMs: undefined,
      }),
    }
    const client = replayOf(
      ...[open(0, 2), inEpoch(10, 1, 2), headerAt(hour), open(hour, 1)],
      ...[inEpoch(hour + 10, 3, 1), stale],
    )
    const epochs = client.run$((each) =>
      merge(
        each.status$.pipe(map((status) => ('epoch' in status ? `open ${status.epoch}` : status._tag))),
        each.price$(topic).pipe(
          map((event) =>
            isLeft(event) && event.left._tag === 'Stale' ? `last ${event.left.last?.epoch}` : '',
          ),
          filter((text) => text !== ''),
        ),
      ),
    )
    expect(await collect(epochs)).toEqual(['Idle', 'open 2', 'open 3', 'last 3'])
  })

  it('interrupts at once, also if its first row comes later', async () => {
    const { promise: gate, resolve: openGate } = deferred<undefined>()
    const source = {
      async *[Symbol.asyncIterator]() {
        yield recordingText(header, inEpoch(10, 1, 1), headerAt(20))
        await gate
        yield recordingText(inEpoch(30, 2, 1))
      },
    }
    const seen: string[] = []
    const run$ = replay(source, { speed: Infinity }).run$((client) => events$(client))
    const run = collect(run$.pipe(tap((event) => seen.push(event))))
    await eventually(() => seen.length === 2)
    expect(seen).toEqual(['1/1', 'Disconnected'])
    openGate(undefined)
    expect(await run).toEqual(['1/1', 'Disconnected', '2/2'])
  })

  it('interrupts nothing if it continues the file before it, and only then', async () => {
    const client = replayOf(
      inEpoch(10, 1, 1),
      { ...headerAt(100), continues: start },
      inEpoch(110, 2, 1),
      { ...headerAt(200), continues: start + 100 },
      inEpoch(210, 3, 1),
      // The file between is missing.
      { ...headerAt(400), continues: start + 300 },
      inEpoch(410, 4, 1),
    )
    const seen = await collect(client.run$((each) => events$(each)))
    expect(seen).toEqual(['1/1', '2/1', '3/1', 'Disconnected', '4/2'])
  })

  it('interrupts nothing if no row was played before it, or if it is after the part', async () => {
    const text = recordingText(header, ...recordings)
    const playPart = (part: object) =>
      collect(replay(chunksOf(text), { speed: Infinity, ...part }).run$((client) => events$(client)))
    expect(await playPart({ from: start + hour })).toEqual(['3/1'])
    expect(await playPart({ to: start + hour })).toEqual(['1/1', '2/3'])
  })
})

describe('a recorded client that was closed', () => {
  const first = [inEpoch(10, 1, 1), closed(20), end(20)]

  it('emits Disconnected at that time if another recording follows', async () => {
    const client = replayOf(...first, headerAt(2 * hour), inEpoch(2 * hour + 10, 2, 1))
    const seen = client.run$((each) => merge(events$(each), timer(hour).pipe(map(() => 'an hour later'))))
    expect(await collect(seen)).toEqual(['1/1', 'Disconnected', 'an hour later', '2/2'])
  })

  it('gives no price to a late subscriber in the gap, and is not live', async () => {
    const lines = [...first, headerAt(2 * hour), inEpoch(2 * hour + 10, 2, 1)]
    expect(await collect(replayOf(...lines).run$(lateAt(hour)))).toEqual(['Disconnected'])
    const states = replayOf(...lines).run$((client) =>
      merge(
        events$(client).pipe(filter(() => false)),
        merge(timer(5), timer(hour)).pipe(map(() => client.inspect().topics.map(({ state }) => state))),
      ),
    )
    expect(await collect(states)).toEqual([['waiting'], ['down']])
  })

  it('emits no Disconnected at its end if the recorder has continued in a new file', async () => {
    const continued = { ...headerAt(20), continues: start }
    const client = replayOf(inEpoch(10, 1, 1), closed(20), continued, end(20))
    expect(await collect(client.run$((each) => events$(each)))).toEqual(['1/1'])
  })

  it('emits no Disconnected at the end of the replay: the streams complete', async () => {
    expect(await collect(replayOf(...first).run$((client) => events$(client)))).toEqual(['1/1'])
  })
})

describe('the status Waiting', () => {
  it('gives a subscriber of that moment the outage, once, and nobody the old price', async () => {
    const client = replayOf(inEpoch(10, 1, 1), waiting(20), outage(20), open(300, 2), inEpoch(310, 2, 2))
    const seen = client.run$((each) =>
      merge(
        events$(each),
        each.status$.pipe(
          filter(({ _tag }) => _tag === 'Waiting'),
          switchMap(() => events$(each)),
          map((event) => `then ${event}`),
        ),
      ),
    )
    expect(await collect(seen)).toEqual(['1/1', 'Disconnected', 'then Disconnected', '2/2', 'then 2/2'])
  })

  it('has one outage for all lines that the client lost in it, as live', async () => {
    const client = replayOf(inEpoch(10, 1, 1), waiting(20), outage(20), waiting(25), inEpoch(310, 2, 2))
    const seen = client.run$((each) => merge(events$(each), timer(100).pipe(switchMap(() => events$(each)))))
    expect(await collect(seen)).toEqual(['1/1', 'Disconnected', 'Disconnected', '2/2', '2/2'])
  })

  it('has one outage if the recorder continues in a new file within it', async () => {
    const lines: readonly (Row | RecordingHeader)[] = [
      ...[inEpoch(10, 1, 1), waiting(20), outage(20), inEpoch(310, 2, 2)],
    ]
    const events = ['1/1', 'Disconnected', '2/2']
    for (const position of [1, 2, 3]) {
      const continued = { ...headerAt(20), continues: start }
      const client = replayOf(...lines.toSpliced(position, 0, continued))
      expect(await collect(client.run$((each) => events$(each)))).toEqual(events)
    }
  })

  it('is a new outage after a price', async () => {
    const client = replayOf(
      inEpoch(10, 1, 1),
      waiting(20),
      inEpoch(30, 2, 1),
      waiting(40),
      inEpoch(310, 3, 2),
    )
    expect(await collect(client.run$((each) => events$(each)))).toEqual([
      ...['1/1', 'Disconnected', '2/1', 'Disconnected', '3/2'],
    ])
  })

  it('emits an outage that the recording does not contain', async () => {
    const client = replayOf(inEpoch(10, 1, 1), waiting(20), inEpoch(310, 2, 2))
    const seen = client.run$((each) => merge(events$(each), timer(100).pipe(map(() => 'later'))))
    expect(await collect(seen)).toEqual(['1/1', 'Disconnected', 'later', '2/2'])
  })

  it('emits an outage that the recording does not contain because it ends', async () => {
    const client = replayOf(inEpoch(10, 1, 1), waiting(20))
    expect(await collect(client.run$((each) => events$(each)))).toEqual(['1/1', 'Disconnected'])
  })

  it('ends with the next price, not with Open: a late subscriber receives the outage, as live', async () => {
    const client = replayOf(inEpoch(10, 1, 1), waiting(20), outage(20), open(300, 2), inEpoch(310, 2, 2))
    expect(await collect(client.run$(lateAt(305)))).toEqual(['Disconnected'])
  })
})

describe('a late subscriber of depth', () => {
  const late = (ms: number) => (client: Client) =>
    merge(
      client.depth$(mint, 100).pipe(ignoreElements()),
      timer(ms).pipe(
        switchMap(() => client.depth$(mint, 100)),
        map((event) => isRight(event) && event.right.price),
      ),
    )
  const firstOf = async (ms: number, ...lines: readonly (Row | RecordingHeader)[]) => {
    const all = [depthRow(10, 1), ...lines, depthRow(hour + 20, 2)]
    return (await collect(replayOf(...all).run$(late(ms))))[0]
  }

  it('receives no depth from before a header, or from before the recorded client was closed', async () => {
    expect(await firstOf(hour + 10, headerAt(hour))).toBe(2)
    expect(await firstOf(40, closed(30))).toBe(2)
  })

  it('receives the depth from before an outage, as live: depth does not come over the WebSocket', async () => {
    expect(await firstOf(40, waiting(30))).toBe(1)
    expect(await firstOf(hour + 10, { ...headerAt(hour), continues: start })).toBe(1)
  })
})

describe('inspect and status$ of a replay', () => {
  it('keep the age of the last price when another subscriber comes', async () => {
    const client = replayOf(priceRow(10, 1), priceRow(500, 2))
    const ages = client.run$((each) =>
      merge(
        each.price$(topic).pipe(filter(() => false)),
        timer(110).pipe(
          switchMap(() => each.price$(topic).pipe(take(1))),
          map(() => each.inspect().topics.map(({ lastPriceAgeMs }) => lastPriceAgeMs)),
        ),
      ),
    )
    expect(await firstValueFrom(ages)).toEqual([100])
  })

  it('emit Idle once', async () => {
    const client = replayOf(statusRow(0, { _tag: 'Idle' }), open(5, 1), priceRow(10, 1))
    const statuses = client.run$((each) => each.status$.pipe(map(({ _tag }) => _tag)))
    expect(await collect(statuses)).toEqual(['Idle', 'Open'])
  })
})
