import { once } from 'node:events'
import { Readable } from 'node:stream'
import {
  asyncScheduler,
  concat,
  finalize,
  firstValueFrom,
  forkJoin,
  ignoreElements,
  materialize,
  NEVER,
  of,
  take,
  tap,
  throwError,
  timer,
  type Observable,
} from 'rxjs'
import type { Client } from 'svc-streams'
import { replay, type ReplayClient } from 'svc-streams/recording'
import { describe, expect, it } from 'vitest'
import { newFile } from '../../cli/support/new-file.js'
import { eventually } from '../../support/time/eventually.js'
import { currentDelegates, unusedDelegates } from '../../support/time/unused-delegates.js'
import { chunksOf, collect, header, priceRow, recordingText, summary$ } from './support/recordings.js'
import { playedRows } from './support/rows.js'

const rows = [1, 2, 3, 4, 5].map((n) => priceRow(n, n))
const text = recordingText(header, ...rows)

const first$ = (client: Client): Observable<string> => summary$(client).pipe(take(2))

describe.each([1, 1000, Infinity])('after a strategy has ended early, at speed %s', (speed) => {
  const replayed = (): ReplayClient => replay(chunksOf(text), { speed })

  it('finished resolves with the rows played so far', async () => {
    const client = replayed()
    const finished = client.finished
    expect(await collect(client.run$(first$))).toEqual(['1', '2'])
    expect(await client.finished).toEqual(playedRows(2))
    expect(await finished).toEqual(playedRows(2))
    expect(currentDelegates()).toEqual(unusedDelegates)
  })

  it('finished resolves if the subscriber of run$ unsubscribes', async () => {
    const client = replayed()
    await firstValueFrom(client.run$(summary$))
    expect(await client.finished).toEqual(playedRows(1))
  })

  it('finished resolves with 0 rows if the subscriber unsubscribes before the first row', async () => {
    const client = replayed()
    client.run$(summary$).subscribe().unsubscribe()
    expect(await client.finished).toEqual(playedRows(0))
  })

  it.each<[string, () => Observable<string>]>([
    ['completes', () => of('a')],
    ['needs no row', () => concat(of('a'), NEVER).pipe(take(1))],
  ])('finished resolves if the strategy %s at once', async (_, strategy$) => {
    const client = replayed()
    expect(await collect(client.run$(strategy$))).toEqual(['a'])
    expect(await client.finished).toEqual(playedRows(0))
  })

  it.each<[string, (client: Client) => Observable<unknown>]>([
    [
      'in a handler',
      (client) =>
        summary$(client).pipe(
          tap((event) => {
            if (event === '3') throw new Error('broken')
          }),
        ),
    ],
    [
      'after a row',
      (client) =>
        concat(
          first$(client),
          throwError(() => new Error('broken')),
        ),
    ],
    ['at once', () => throwError(() => new Error('broken'))],
  ])('run$ emits an error that the strategy throws %s, and finished resolves', async (_, strategy$) => {
    const client = replayed()
    await expect(collect(client.run$(strategy$))).rejects.toThrow('broken')
    expect(await client.finished).toMatchObject({ _tag: 'Right' })
  })

  it('a second run$ plays again from the start', async () => {
    const client = replayed()
    await collect(client.run$(first$))
    expect(await collect(client.run$(summary$))).toEqual(['1', '2', '3', '4', '5'])
    expect(await client.finished).toEqual(playedRows(5))
    await collect(client.run$(first$))
    expect(await client.finished).toEqual(playedRows(2))
  })

  it('the replay goes on for another strategy, and ends with it', async () => {
    const client = replayed()
    const runs$ = forkJoin([client.run$(first$), client.run$((c) => summary$(c).pipe(take(4)))])
    expect(await collect(runs$)).toEqual([['2', '4']])
    expect(await client.finished).toEqual(playedRows(4))
  })

  it('the replay goes on for a subscriber outside of run$, and ends with it', async () => {
    const client = replayed()
    const outside = collect(summary$(client).pipe(take(4)))
    await collect(client.run$(first$))
    expect(await outside).toEqual(['1', '2', '3', '4'])
    expect(await client.finished).toEqual(playedRows(4))
  })

  it('the streams of the client are complete', async () => {
    const client = replayed()
    await collect(client.run$(first$))
    await collect(concat(client.status$.pipe(ignoreElements()), client.errors$, summary$(client)))
  })

  it('close() changes nothing', async () => {
    const client = replayed()
    await collect(client.run$(first$))
    await client.close()
    expect(await client.finished).toEqual(playedRows(2))
    expect(await collect(client.run$(summary$))).toEqual([])
  })

  it('a timer that starts on the completion fires', async () => {
    let fired = false
    const client = replayed()
    client.run$(first$).subscribe({ complete: () => asyncScheduler.schedule(() => (fired = true), 2) })
    await eventually(() => fired)
    expect(currentDelegates()).toEqual(unusedDelegates)
    expect(await collect(concat(replayed().run$(first$), timer(2)).pipe(materialize()))).toHaveLength(4)
  })

  it('the strategy is unsubscribed from before its streams complete', async () => {
    const events: string[] = []
    const client = replayed()
    await firstValueFrom(
      client.run$((c) =>
        summary$(c).pipe(
          tap({ complete: () => events.push('complete') }),
          finalize(() => events.push('teardown')),
        ),
      ),
    )
    expect(await client.finished).toEqual(playedRows(1))
    expect(events).toEqual(['teardown'])
  })
})

describe('a strategy that ends early', () => {
  it('closes the source', async () => {
    const source = Readable.from([text, text])
    const closed = once(source, 'close')
    const client = replay(source, { speed: Infinity })
    await collect(client.run$(first$))
    await closed
  })

  it('ends a replay of a file', async () => {
    const client = replay(newFile('market.ndjson', text), { speed: Infinity })
    await collect(client.run$(first$))
    expect(await client.finished).toEqual(playedRows(2))
  })
})

it('without run$, a replay pauses after its last subscriber, and close() resolves finished', async () => {
  const client = replay(chunksOf(text), { speed: Infinity })
  expect(await collect(first$(client))).toEqual(['1', '2'])
  expect(await collect(summary$(client).pipe(take(2)))).toEqual(['2', '3'])
  await client.close()
  expect(await client.finished).toEqual(playedRows(3))
})
