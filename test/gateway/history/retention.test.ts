import { right, type Either } from 'fp-ts/lib/Either.js'
import { mkdirSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Subject, Subscription } from 'rxjs'
import type { Price, PriceError } from 'svc-streams'
import type { PastEvent } from 'svc-streams/history'
import { createTestClient, price } from 'svc-streams/testing'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { GatewayHistory } from '../../../src/gateway/history/gateway-history.js'
import { newFolder } from '../../support/new-folder.js'
import { eventually } from '../../support/time/eventually.js'
import { ethTopic } from '../../support/tokens.js'
import { recordingsIn } from './support/folder.js'
import { createManualClock } from './support/manual-clock.js'
import { openTestHistory } from './support/open-history.js'

const minute = 60_000
const hour = 60 * minute
const year = 365 * 24 * hour
const start = Date.parse('2026-11-22T00:00:00Z')

/** A recorder of a topic, for two hours. The monotonic time and the time of day move apart when `set` is called. */
const startRecorder = async (folder = newFolder()) => {
  vi.useFakeTimers({ now: start, toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const price$ = new Subject<Either<PriceError, Price>>()
  const client = createTestClient({ prices: { [ethTopic]: price$ } })
  const clock = createManualClock()
  const open = (): Promise<GatewayHistory> => openTestHistory(folder, { client, clock, keep: 2 * hour })
  let count = 0
  return {
    folder,
    open,
    history: await open(),
    pass: (ms: number) => {
      vi.setSystemTime(Date.now() + ms)
      clock.advance(ms)
    },
    set: (ms: number) => vi.setSystemTime(Date.now() + ms),
    sendPrice: () => price$.next(right(price(ethTopic, ++count))),
  }
}

const pastOf = async (history: GatewayHistory, from: number): Promise<readonly PastEvent[]> => {
  const events: PastEvent[] = []
  const emit = (event: PastEvent): unknown => events.push(event)
  const reader = { emit, closing: new Subscription(), flush: () => undefined }
  await history.read(ethTopic, { from, to: Date.now() + 1 }, reader)
  return events
}

const pricesOf = (events: readonly PastEvent[]): readonly number[] =>
  events.flatMap((event) => (event._tag === 'PastPrice' ? [event.price] : []))

const hoursIn = (folder: string): readonly string[] =>
  recordingsIn(folder).map((path) => /T(\d\d)/.exec(basename(path))?.[1] ?? '')

/** A recording of the topic. */
const fileAt = (folder: string, at: number): string =>
  join(
    folder,
    `${ethTopic.toLowerCase()}.${new Date(at).toISOString().slice(0, 19).replaceAll(':', '-')}Z.ndjson`,
  )

describe('a history that keeps two hours', () => {
  it('deletes the files whose prices are all older, while it records, and tries again if it cannot', async () => {
    const folder = newFolder()
    // A folder, as a stand-in for a file that another program has open on Windows.
    mkdirSync(fileAt(folder, start - 10 * hour))
    const { pass, sendPrice } = await startRecorder(folder)
    for (const expected of [
      ['14', '00'],
      ['14', '00', '01'],
      ['14', '00', '01', '02'],
      ['14', '01', '02', '03'],
      ['14', '02', '03', '04'],
    ]) {
      pass(10 * minute)
      sendPrice()
      pass(49 * minute)
      await eventually(() => {
        pass(0)
        expect(hoursIn(folder)).toEqual(expected)
      })
      pass(minute)
    }
  })

  it('keeps what is young, and goes on to rotate and delete, while its clock is ahead and afterwards', async () => {
    const { folder, history, pass, set, sendPrice } = await startRecorder()
    const before = recordedHour()
    function recordedHour(): number {
      pass(30 * minute)
      sendPrice()
      pass(30 * minute)
      return recordingsIn(folder).length
    }
    expect(before).toBe(1)
    set(10 * year)
    expect(recordedHour()).toBe(2)
    set(-10 * year)
    expect(recordedHour()).toBe(3)
    sendPrice()
    expect(pricesOf(await pastOf(history, Date.now() - minute))).toEqual([4])
    for (let passed = 0; passed < 5; passed++) recordedHour()
    await eventually(() => {
      pass(0)
      expect(recordingsIn(folder).length).toBeLessThanOrEqual(4)
    })
    expect(recordingsIn(folder).every((path) => path.includes('.2026-'))).toBe(true)
  })

  it('deletes a file of a clock that was ahead two hours after its last change, and a file without a header at the start', async () => {
    const folder = newFolder()
    const path = fileAt(folder, start + 10 * year)
    writeFileSync(path, '{}\n')
    writeFileSync(fileAt(folder, start - hour), '')
    const old = fileAt(folder, start + 9 * year)
    writeFileSync(old, '{}\n')
    utimesSync(old, start / 1000 - 10_000, start / 1000 - 10_000)
    const { pass } = await startRecorder(folder)
    await eventually(() => expect(recordingsIn(folder)).toEqual([path]))
    pass(2 * hour - minute)
    expect(recordingsIn(folder)).toEqual([path])
    pass(minute)
    await eventually(() => {
      pass(0)
      expect(recordingsIn(folder)).toEqual([])
    })
  })

  it('begins another file with the next price if somebody has removed the one that it writes to', async () => {
    const { folder, history, sendPrice } = await startRecorder()
    sendPrice()
    for (const path of recordingsIn(folder)) unlinkSync(path)
    sendPrice()
    expect(recordingsIn(folder)).toHaveLength(1)
    expect(pricesOf(await pastOf(history, 0))).toEqual([2])
  })

  it('has the prices of a file once if somebody has removed an earlier file of its name', async () => {
    const { folder, history, pass, set, sendPrice } = await startRecorder()
    sendPrice()
    for (const path of recordingsIn(folder)) unlinkSync(path)
    pass(hour)
    set(-hour)
    sendPrice()
    expect(pricesOf(await pastOf(history, 0))).toEqual([2])
    pass(hour)
    pass(59 * minute)
    expect(recordingsIn(folder)).toHaveLength(1)
  })

  it('has the other prices if somebody has removed a file, also one before the range', async () => {
    const { folder, history, pass, sendPrice } = await startRecorder()
    for (let passed = 0; passed < 4; passed++) {
      pass(20 * minute)
      sendPrice()
    }
    const [first = ''] = recordingsIn(folder)
    unlinkSync(first)
    expect(pricesOf(await pastOf(history, 0))).toEqual([3, 4])
    const topics = await history.topics({ closing: new Subscription(), flush: () => undefined })
    expect(topics).toMatchObject({ right: [{ from: start + hour, to: start + 80 * minute }] })
    for (let passed = 0; passed < 5; passed++) {
      pass(20 * minute)
      sendPrice()
    }
    const [, second = ''] = recordingsIn(folder)
    unlinkSync(second)
    expect(pricesOf(await pastOf(history, 0))).toEqual([3, 4, 5, 9])
  })
})
