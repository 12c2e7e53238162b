import {
  asapScheduler,
  asyncScheduler,
  concat,
  count,
  finalize,
  firstValueFrom,
  ignoreElements,
  interval,
  map,
  materialize,
  merge,
  NEVER,
  repeat,
  retry,
  take,
  timer,
  type Observable,
} from 'rxjs'
import type { Client } from 'svc-streams'
import { orThrow } from 'svc-streams/operators'
import { replay, type ReplayClient } from 'svc-streams/recording'
import { describe, expect, it } from 'vitest'
import type { Row } from '../../../src/backtest/recording/codec/row.js'
import { currentDelegates, unusedDelegates } from '../../support/time/unused-delegates.js'
import { eventually } from '../../support/time/eventually.js'
import {
  chunksOf,
  collect,
  header,
  mint,
  priceRow,
  recordingText,
  replayAtOnce,
  start,
  summary$,
  topic,
} from '../recording/support/recordings.js'

const open: Row = {
  _tag: 'Status',
  at: start,
  status: { _tag: 'Open', epoch: 1, since: start },
}

const streams: Readonly<Record<string, (client: Client) => Observable<unknown>>> = {
  price$: (client) => client.price$(topic),
  depth$: (client) => client.depth$(mint, 100),
  status$: (client) => client.status$,
  errors$: (client) => client.errors$,
}

describe.each([1, 1000, Infinity])('after the last row, at speed %s', (speed) => {
  const replayed = (text = recordingText(header, open, priceRow(1, 1))): ReplayClient => {
    const client = replay(chunksOf(text), { speed })
    client.price$(topic).subscribe()
    return client
  }

  it.each(Object.keys(streams))('%s completes, also for a late subscriber', async (stream) => {
    const client = replayed()
    const early = collect(streams[stream]!(client))
    await client.finished
    const late = collect(streams[stream]!(client))
    await Promise.all([early, late])
    await client.close()
  })

  it.each(Object.keys(streams))('%s completes if the recording is damaged', async (stream) => {
    const client = replayed(`${recordingText(header, open, priceRow(1, 1))}{"at"`)
    const early = collect(streams[stream]!(client))
    expect(await client.finished).toMatchObject({ left: { line: 4 } })
    await Promise.all([early, collect(streams[stream]!(client))])
  })

  it('status$ emits the last status to a late subscriber, and Closed after close', async () => {
    const client = replayed()
    await client.finished
    expect(await collect(client.status$)).toEqual([{ _tag: 'Open', epoch: 1, since: start }])
    await client.close()
    expect(await collect(client.status$)).toEqual([{ _tag: 'Closed' }])
  })
})

describe('status$ of a replay', () => {
  it('does not start the replay, and emits Closed on close', async () => {
    const client = replayAtOnce(open)
    const statuses = collect(client.status$.pipe(map(({ _tag }) => _tag)))
    await client.header()
    await client.close()
    expect(await statuses).toEqual(['Idle', 'Closed'])
  })
})

describe('a pipeline that subscribes again to a stream that has ended, without a delay,', () => {
  const unknown = '0xdead'

  it.each<[string, (client: Client) => Observable<unknown>, number]>([
    ['repeat', (client) => summary$(client).pipe(repeat()), 3],
    ['repeat of the status', (client) => client.status$.pipe(ignoreElements(), repeat()), 0],
    ['repeat of uncorrelated errors', (client) => client.errors$.pipe(repeat()), 0],
    ['take and repeat', (client) => summary$(client).pipe(take(2), repeat()), 5],
    [
      'retry of a mint that is not recorded',
      (client) => client.depth$(unknown, 1).pipe(orThrow(), retry()),
      0,
    ],
    [
      'retry of a topic that is not recorded',
      (client) => client.price$(`svc-${unknown}`).pipe(orThrow(), retry()),
      0,
    ],
  ])('does not recurse without end: %s', async (_, strategy, expected) => {
    const rows = [priceRow(10, 1), priceRow(20, 2), priceRow(30, 3)]
    expect(await collect(replayAtOnce(...rows).run$(strategy))).toHaveLength(expected)
    const direct: unknown[] = []
    const client = replayAtOnce(...rows)
    client.price$(topic).subscribe()
    const subscription = strategy(client).subscribe((value) => direct.push(value))
    await client.finished
    await firstValueFrom(timer(5))
    subscription.unsubscribe()
    expect(direct).toHaveLength(expected)
    expect(currentDelegates()).toEqual(unusedDelegates)
  })

  it('affects no other strategy of the replay, and no late subscriber', async () => {
    const client = replayAtOnce(priceRow(10, 1))
    const endless = collect(client.run$((inside) => summary$(inside).pipe(repeat())))
    const late = (inside: Client) =>
      concat(...Array.from({ length: 50 }, () => summary$(inside).pipe(count())))
    expect(await collect(client.run$(late))).toEqual([1, ...Array<number>(49).fill(0)])
    expect(await endless).toEqual(['1'])
    let completions = 0
    for (let n = 0; n < 50; n++) client.price$(topic).subscribe({ complete: () => completions++ })
    expect(completions).toBe(50)
  })
})

describe('a timer that is too long for every platform', () => {
  it.each([Infinity, Number.MAX_SAFE_INTEGER])('%s ms: does not fire at the end', async (ms) => {
    const strategy = () => merge(interval(4), timer(ms).pipe(map(() => 'fired')))
    expect(await collect(replayAtOnce(priceRow(10, 1)).run$(strategy))).toEqual([0, 1, 2])
  })
})

const runsAfter = (source$: Observable<unknown>): Promise<readonly unknown[]> =>
  collect(concat(source$, timer(2)).pipe(materialize()))

describe('in real time, after the end of a replay in virtual time,', () => {
  it.each<[string, (client: ReplayClient) => Observable<unknown>]>([
    ['run$', (client) => client.run$(summary$)],
    ['run$ with an endless strategy', (client) => client.run$(() => NEVER)],
    ['price$', summary$],
    ['status$', (client) => client.status$],
    ['errors$', (client) => client.errors$],
  ])('a timer that starts on the completion of %s fires', async (_, source$) => {
    const client = replayAtOnce(priceRow(10, 1))
    client.price$(topic).subscribe()
    expect((await runsAfter(source$(client))).at(-1)).toMatchObject({ kind: 'C' })
    expect(currentDelegates()).toEqual(unusedDelegates)
  })

  it('a timer that starts in a teardown of the strategy fires', async () => {
    const client = replayAtOnce(priceRow(10, 1))
    let fired = false
    const teardown = (): void => void timer(2).subscribe(() => (fired = true))
    await collect(client.run$((inside) => inside.price$(topic).pipe(finalize(teardown))))
    await eventually(() => fired)
    expect(currentDelegates()).toEqual(unusedDelegates)
  })

  it('timers that start after close() in a handler fire', async () => {
    const client = replayAtOnce(priceRow(10, 1), priceRow(20, 2))
    const fired: string[] = []
    client.price$(topic).subscribe({
      next: () => {
        void client.close()
        asyncScheduler.schedule(() => fired.push('after close'), 2)
      },
      complete: () => asyncScheduler.schedule(() => fired.push('on completion'), 1),
    })
    await eventually(() => fired.length === 2)
    expect(currentDelegates()).toEqual(unusedDelegates)
  })

  it('asapScheduler runs the actions from before and after close() in a handler', async () => {
    const client = replayAtOnce(priceRow(10, 1), priceRow(20, 2))
    const ran: string[] = []
    client.price$(topic).subscribe(() => {
      asapScheduler.schedule(() => ran.push('before close'))
      asapScheduler.schedule(() => ran.push('cancelled')).unsubscribe()
      void client.close()
      asapScheduler.schedule(() => ran.push('after close'))
    })
    await eventually(() => ran.length === 2)
    expect(currentDelegates()).toEqual(unusedDelegates)
    asapScheduler.schedule(() => ran.push('later'))
    await eventually(() => ran.length === 3)
    expect(ran).toEqual(['before close', 'after close', 'later'])
  })

  it('asapScheduler runs later actions when its action was cancelled before close()', async () => {
    const client = replayAtOnce(priceRow(10, 1))
    client.price$(topic).subscribe(() => {
      const action = asapScheduler.schedule(() => undefined)
      void client.close()
      action.unsubscribe()
    })
    await client.finished
    expect(currentDelegates()).toEqual(unusedDelegates)
    let ran = false
    asapScheduler.schedule(() => (ran = true))
    await eventually(() => ran)
  })
})
