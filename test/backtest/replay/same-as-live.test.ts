import { isLeft, type Either } from 'fp-ts/lib/Either.js'
import { lastValueFrom, map, merge, toArray, type Observable } from 'rxjs'
import type { PriceClient } from 'svc-streams'
import { candles, snapshots, type Candle, type Snapshot } from 'svc-streams/operators'
import { record, replay } from 'svc-streams/recording'
import { expect, it } from 'vitest'
import { newFile } from '../../cli/support/new-file.js'
import { createClientFor, startTestSimulator } from '../../support/simulator.js'
import { eventually } from '../../support/time/eventually.js'
import { ethTopic } from '../../support/tokens.js'

const names = ['snapshots', 'candles', 'filled candles'] as const

/** A result, and the end of its time, in ms; 0 for a Left. */
interface Line {
  readonly name: (typeof names)[number]
  readonly at: number
  readonly result: unknown
}

const line$ = (client: PriceClient): Observable<Line> => {
  const lineOf = (name: Line['name']) =>
    map((event: Either<{ readonly _tag: string }, Candle | Snapshot<unknown>>): Line => {
      if (isLeft(event)) return { name, at: 0, result: event.left._tag }
      return { name, at: 'to' in event.right ? event.right.to : event.right.at, result: event.right }
    })
  const price$ = client.price$(ethTopic)
  return merge(
    price$.pipe(snapshots(20), lineOf('snapshots')),
    price$.pipe(candles(20), lineOf('candles')),
    price$.pipe(candles(20, { fill: true }), lineOf('filled candles')),
  )
}

/** The lines of an operator until a time. */
const until = (lines: readonly Line[], name: string, end: number): readonly Line[] => {
  const all = lines.filter((line) => line.name === name)
  return all.slice(
    0,
    all.findIndex(({ at }) => at > end),
  )
}

const block = (ms: number): void => {
  const end = performance.now() + ms
  while (performance.now() < end);
}

it('a replay has the snapshots and candles of the live run that it records, whose handlers and timers were late', async () => {
  const simulator = await startTestSimulator({ tick: 7 })
  const client = createClientFor(simulator, { reconnect: { initialDelay: 30, maxDelay: 30 } })
  const live: Line[] = []
  const to = newFile('market.ndjson')

  const subscription = line$(client).subscribe((line) => live.push(line))
  let count = 0
  // Called before the recorder, which therefore receives some events up to 150 ms later than the operators.
  const slow = client.price$(ethTopic).subscribe((event) => {
    if (++count % 5 === 0) block(count % 30)
    if (count % 30 === 0 || isLeft(event)) block(150)
  })
  const recorder = record(client, { topics: [ethTopic], to })
  const hasSnapshots = (more: number) => {
    const before = live.length
    return eventually(() => expect(live.length).toBeGreaterThan(before + more))
  }
  await hasSnapshots(100)
  simulator.dropConnections(1012)
  await hasSnapshots(100)
  subscription.unsubscribe()
  slow.unsubscribe()
  await recorder.stop()

  const replayed = await lastValueFrom(
    replay(to, { speed: Infinity }).run$((past) => line$(past).pipe(toArray())),
  )
  expect(live.map(({ result }) => result)).toContain('Disconnected')
  const end = Math.max(...live.map(({ at }) => at)) - 200
  for (const name of names) {
    const expected = until(live, name, end)
    expect(expected.length).toBeGreaterThan(20)
    expect(until(replayed, name, end)).toEqual(expected)
  }
})
