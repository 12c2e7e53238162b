import { Readable } from 'node:stream'
import { concat, filter, firstValueFrom, forkJoin, interval, repeat, take, toArray } from 'rxjs'
import { replay, type RecordingSource } from 'svc-streams/recording'
import { describe, expect, it } from 'vitest'
import { newFile } from '../../cli/support/new-file.js'
import { currentDelegates, unusedDelegates } from '../../support/time/unused-delegates.js'
import { eventually } from '../../support/time/eventually.js'
import {
  chunksOf,
  collect,
  header,
  priceRow,
  recordingText,
  replayAtOnce,
  summary$,
} from '../recording/support/recordings.js'
import { playedRows } from '../recording/support/rows.js'

const rows = Array.from({ length: 1000 }, (_, n) => priceRow(n, n + 1))
const text = recordingText(header, ...rows)
const all = rows.map((_, n) => String(n + 1))

describe('a second run$', () => {
  it.each<[string, () => RecordingSource]>([
    ['a file', () => newFile('market.ndjson', text)],
    ['a list of files', () => [newFile('market.ndjson', text)]],
    ['an iterable that starts anew', () => chunksOf(text)],
  ])('plays %s again from the start', async (_, source) => {
    const client = replay(source(), { speed: Infinity })
    for (let run = 0; run < 3; run++) {
      expect(await collect(client.run$(summary$))).toEqual(all)
      expect(await client.finished).toEqual(playedRows(rows.length))
      expect(currentDelegates()).toEqual(unusedDelegates)
    }
  })

  it('has timers of its own', async () => {
    const client = replayAtOnce(priceRow(10, 1))
    const run$ = client.run$(() => interval(4))
    expect(await collect(concat(run$, run$).pipe(toArray()))).toEqual([[0, 1, 2, 0, 1, 2]])
    expect(await collect(run$.pipe(repeat(2)))).toEqual([0, 1, 2, 0, 1, 2])
  })

  it('plays from the start if the first was unsubscribed', async () => {
    const client = replay(chunksOf(text), { speed: Infinity })
    expect(await collect(client.run$(summary$).pipe(take(300)))).toHaveLength(300)
    expect(await collect(client.run$(summary$))).toEqual(all)
    expect(currentDelegates()).toEqual(unusedDelegates)
  })

  it('closes the file of a replay that has lost its last subscriber', async () => {
    let closed = 0
    const source = {
      async *[Symbol.asyncIterator]() {
        try {
          for (const row of [header, ...rows]) yield await Promise.resolve(recordingText(row))
        } finally {
          closed++
        }
      },
    }
    const client = replay(source, { speed: Infinity })
    await collect(client.run$(summary$).pipe(take(3)))
    expect(await collect(client.run$(summary$))).toEqual(all)
    await eventually(() => expect(closed).toBe(2))
  })

  it('plays from the start while the first is running', async () => {
    const client = replay(chunksOf(text), { speed: Infinity })
    const first = collect(client.run$(summary$))
    await firstValueFrom(summary$(client).pipe(filter((event) => event === '300')))
    const second = collect(client.run$(summary$))
    expect(await first).toEqual(all)
    expect(await second).toEqual(all)
  })

  it('that is subscribed to before the first row shares the replay, also of a source that can be read once', async () => {
    const client = replay(Readable.from([text]), { speed: Infinity })
    expect(
      await collect(
        forkJoin([client.run$(summary$), client.run$(summary$)].map((run$) => run$.pipe(toArray()))),
      ),
    ).toEqual([[all, all]])
  })

  it.each<[string, () => RecordingSource]>([
    ['a Node stream', () => Readable.from([text])],
    ['a web stream', () => Readable.toWeb(Readable.from([text])) as AsyncIterable<string>],
    [
      'a generator',
      () =>
        (function* () {
          yield text
        })(),
    ],
    ['a list with a Node stream', () => [Readable.from([text])]],
  ])('over %s is a RecordingError', async (_, source) => {
    const client = replay(source(), { speed: Infinity })
    expect(await collect(client.run$(summary$))).toEqual(all)
    expect(await client.finished).toEqual(playedRows(rows.length))
    expect(await collect(client.run$(summary$))).toEqual(['DecodeError'])
    expect(await client.finished).toMatchObject({
      left: {
        _tag: 'RecordingError',
        message: expect.stringMatching(
          /can be read only once: give a path, or an iterable that starts anew$/,
        ) as string,
      },
    })
  })

  it('gives the streams of the client outside of it', async () => {
    const client = replay(chunksOf(text), { speed: Infinity })
    await collect(client.run$(summary$))
    // After a replay its streams are complete.
    expect(await collect(summary$(client))).toEqual([])
    expect(await collect(client.run$(() => summary$(client)))).toEqual(all)
  })

  it('is empty after close()', async () => {
    const client = replay(chunksOf(text), { speed: Infinity })
    await collect(client.run$(summary$))
    await client.close()
    expect(await collect(client.run$(summary$))).toEqual([])
    expect(currentDelegates()).toEqual(unusedDelegates)
  })

  it('ends on close(), like the first', async () => {
    const client = replay(chunksOf(text), { speed: 1 })
    const first = collect(client.run$(summary$))
    await firstValueFrom(summary$(client).pipe(filter((event) => event === '2')))
    const second = collect(client.run$(summary$))
    await firstValueFrom(summary$(client))
    await client.close()
    expect((await first).length).toBeLessThan(rows.length)
    expect((await second).length).toBeLessThan(rows.length)
  })
})
