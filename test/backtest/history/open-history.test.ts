import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { isRight, left, type Either } from 'fp-ts/lib/Either.js'
import { filter, firstValueFrom, take, toArray } from 'rxjs'
import { openHistory, type PastEvent } from 'svc-streams/history'
import { candles, withPast, type Candle } from 'svc-streams/operators'
import { record } from 'svc-streams/recording'
import { describe, expect, it } from 'vitest'
import { pastSourceOf } from '../../../src/base/domain/past.js'
import { unknownTopic } from '../../../src/backtest/recording/codec/errors.js'
import { openHistory as openInBrowser } from '../../../src/backtest/history/browser.js'
import { eventsOf, writeFiles } from './support/files.js'
import { header, priceRow, recordingText, start, topic } from '../recording/support/recordings.js'
import { closeAfterTest } from '../../support/close-after-test.js'
import { createClientFor, startTestSimulator } from '../../support/simulator.js'
import { startHttpServer } from '../../support/network/servers.js'
import { hostileText } from '../../support/unsafe-characters.js'
import { ethTopic } from '../../support/tokens.js'

const text = recordingText(header, priceRow(0, 1))
const range = { from: start, to: start + 1 }
const price = { _tag: 'Right', right: { _tag: 'PastPrice', topic, price: 1, at: start } }

describe('openHistory', () => {
  it('opens files by path and by URL, and data', async () => {
    const [path = ''] = writeFiles({ 'a.ndjson': text })
    for (const source of [path, pathToFileURL(path), [text], new Set([Buffer.from(text)])])
      expect(await eventsOf(openHistory([source]).prices$(topic, range))).toEqual([price, expect.anything()])
  })

  it('gives a past with an end, which is never read again: it waits for no live price', () => {
    expect(pastSourceOf(openHistory([[text]]).prices$(topic, range)).isEndless).toBe(false)
    expect(pastSourceOf(openHistory([[text]]).prices$(topic, { from: start })).isEndless).toBe(true)
  })

  it('gives a Left for a range that is no object', async () => {
    const events = await eventsOf(openHistory([[text]]).prices$(topic, undefined as never))
    expect(events).toMatchObject([{ left: { _tag: 'InvalidRange' } }])
  })

  it('opens data in a browser, where a string is the recording', async () => {
    expect(await eventsOf(openInBrowser([text]).prices$(topic, range))).toEqual([price, expect.anything()])
    expect(() => openInBrowser([new URL('file:///a.ndjson')])).toThrow(/a browser has no files/)
  })
})

/** A client that is recorded to a file while it is used. */
const recorded = async () => {
  const client = closeAfterTest(createClientFor(await startTestSimulator({ tick: 5 })))
  const [folder = ''] = writeFiles({ '.folder': '' })
  const path = join(folder, '..', 'market.ndjson')
  const recorder = record(client, { topics: [ethTopic], to: path })
  const prices$ = client.price$(ethTopic).pipe(filter(isRight))
  await firstValueFrom(prices$.pipe(take(100), toArray()))
  const past$ = openHistory([path]).prices$(ethTopic, { from: Date.now() - 60_000 })
  return { client, path, recorder, past$ }
}

const pastPricesOf = (events: readonly Either<unknown, PastEvent>[]) =>
  events.flatMap((event) => (isRight(event) && event.right._tag === 'PastPrice' ? [event.right] : []))

describe('a recording that is still written', () => {
  it('is joined to the live prices of its client: none is missing, and none comes twice', async () => {
    const { client, path, recorder, past$ } = await recorded()
    const joined$ = client.price$(ethTopic).pipe(withPast(past$), filter(isRight), take(400), toArray())
    const joined = await firstValueFrom(joined$)
    await recorder.stop()
    const all = pastPricesOf(await eventsOf(openHistory([path]).prices$(ethTopic, { from: 0 })))
    const prices = joined.flatMap(({ right }) => ('price' in right ? [right.price] : []))
    expect(prices.length).toBeGreaterThan(380)
    expect(prices).toEqual(all.slice(0, prices.length).map((past) => past.price))
  })

  it('has the candles of the recording', async () => {
    const { client, path, recorder, past$ } = await recorded()
    const candles$ = client
      .price$(ethTopic)
      .pipe(candles(100, { past$ }), filter(isRight), take(12), toArray())
    const seen = (await firstValueFrom(candles$)).map(({ right }) => right)
    await recorder.stop()
    const all = pastPricesOf(await eventsOf(openHistory([path]).prices$(ethTopic, { from: 0 })))
    const counts = (of: readonly Candle[]) => of.reduce((sum, { count }) => sum + count, 0)
    const [first, last] = [seen[0]!, seen.at(-1)!]
    // The time of a price in its window is that of the recorder or that of the client, up to a few ms apart.
    const within = all.filter(({ at }) => at >= first.from && at < last.to).length
    expect(Math.abs(counts(seen) - within)).toBeLessThan(10)
    expect(new Set(seen.map(({ from }) => from)).size).toBe(12)
  })
})

it('is an UnknownTopic if the gateway lacks the topic', async () => {
  const url = await startHttpServer((_request, response) =>
    response.writeHead(404).end(`svc-0xab: not in the history ${hostileText}\n${'x'.repeat(3_000)}`),
  )
  const event = await firstValueFrom(openHistory(url).prices$('svc-0xab', { from: 0 }))
  expect(event).toEqual(left(unknownTopic('svc-0xab')))
})
