import { isLeft } from 'fp-ts/lib/Either.js'
import { appendFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  bufferCount,
  firstValueFrom,
  interval,
  map,
  merge,
  scan,
  timestamp,
  toArray,
  type Observable,
} from 'rxjs'
import { createClient, type Client } from 'svc-streams'
import { openHistory } from 'svc-streams/history'
import { record, replay, resume, type StrategyClient } from 'svc-streams/recording'
import { expect, onTestFinished, test } from 'vitest'
import { seededRandom } from '../../../../src/simulator/market/seeded-random.js'
import { startTestGateway } from '../../../gateway/support/start-test-gateway.js'
import { closeAfterTest } from '../../../support/close-after-test.js'
import { startDistantLink } from '../../../support/network/distant-link.js'
import { createPriceClient } from '../../../support/network/scripted-service.js'
import { newFolder } from '../../../support/new-folder.js'
import { isLong } from '../../../support/run/long.js'
import { createClientFor, startTestSimulator } from '../../../support/simulator.js'
import { eventually } from '../../../support/time/eventually.js'
import { ethTopic } from '../../../support/tokens.js'
import { pricesOf } from '../../history/support/joined.js'
import { joinOften, lastPrice, startService } from '../../history/support/numbered-service.js'
import { eventsOf } from '../past/support/files.js'

/** The time between two prices, and the delay of the link in each direction, in ms. */
const tick = 5
const delay = 50

const consumerOf = (url: string): Client =>
  closeAfterTest(
    createClient({
      ...{ environment: 'mainnet', baseUrl: url, unsigned: true },
      ...{ priceBaseUrl: url, priceWsUrl: url.replace('http', 'ws') },
    }),
  )

const pricesOrErrors = (own: Pick<StrategyClient, 'price$'>): Observable<number | string> =>
  own.price$(ethTopic).pipe(map((event) => (isLeft(event) ? event.left._tag : event.right.price)))

/** All values of a stream, while the test runs. */
const collect = <A>(stream$: Observable<A>): readonly A[] => {
  const values: A[] = []
  const subscription = stream$.subscribe((value) => values.push(value))
  onTestFinished(() => subscription.unsubscribe())
  return values
}

const indexOfCaughtUp = (values: readonly unknown[]): number =>
  values.findIndex((value) => typeof value === 'object' && value !== null && '_tag' in value)

/** Waits until a strategy has emitted `count` values after `CaughtUp`. */
const untilLive = async (values: readonly unknown[], count: number): Promise<void> => {
  await eventually(() => expect(indexOfCaughtUp(values)).toBeGreaterThanOrEqual(0))
  await eventually(() => expect(values.length).toBeGreaterThan(indexOfCaughtUp(values) + count))
}

const recordedPrices = async (path: string): Promise<readonly number[]> =>
  pricesOf(await eventsOf(openHistory([path]).prices$(ethTopic, { from: 0, to: Date.now() + 1_000_000 })))

/** A simulator, a client, and a recorder of the client whose clock is ahead. */
const startRecorded = async (aheadMs = 0) => {
  const simulator = await startTestSimulator({ tick })
  const path = join(newFolder(), 'market.ndjson')
  const shifted = (line: string): string =>
    line.replace(/"(at|receivedAt)":(\d+)/g, (_, name, time) => `"${name}":${Number(time) + aheadMs}`)
  const client = createClientFor(simulator)
  const recorder = record(client, {
    topics: [ethTopic],
    to: {
      write: (line, done) => {
        appendFileSync(path, shifted(line))
        done()
      },
    },
  })
  await eventually(() => expect(recorder.rows).toBeGreaterThan(100))
  return { simulator, client, recorder, path }
}

test('a strategy is told that prices may be missing between the file of another client and the live ones', async () => {
  const { simulator, recorder, path } = await startRecorded()
  const url = await startDistantLink(simulator.priceWsUrl, delay)
  const values = collect(resume(consumerOf(url.replace('ws', 'http')), [path], pricesOrErrors))
  await untilLive(values, 20)
  await recorder.stop()
  const recorded = await recordedPrices(path)
  const border = values.indexOf('Disconnected')
  const [past, live] = [values.slice(0, border), values.slice(border + 1)]
  expect(past).toEqual(recorded.slice(0, past.length))
  expect(past.length).toBeGreaterThan(100)
  const prices = live.filter((value) => typeof value === 'number')
  const fromBorder = recorded.slice(recorded.indexOf(prices[0]!))
  expect(prices.slice(0, fromBorder.length)).toEqual(fromBorder.slice(0, prices.length))
  expect(live.filter((value) => typeof value !== 'number')).toEqual([{ _tag: 'CaughtUp' }])
})

test.each([['behind', -300_000] as const, ...(isLong ? [['ahead', 300_000] as const] : [])])(
  'a strategy continues with prices and timers of this clock if that of the recorder is %s',
  async (_, ahead) => {
    const { client, recorder, path } = await startRecorded(ahead)
    const start = Date.now()
    const values = collect(
      resume(client, [path], (own) =>
        merge(pricesOrErrors(own), interval(50).pipe(map(() => 'timer'))).pipe(timestamp()),
      ),
    )
    await untilLive(values, 40)
    await recorder.stop()
    const stamped = values.flatMap((value) => ('value' in value ? [value] : []))
    const prices = stamped.flatMap(({ value }) => (value === 'timer' ? [] : [value]))
    expect(prices).toEqual((await recordedPrices(path)).slice(0, prices.length))
    const live = values
      .slice(indexOfCaughtUp(values) + 1)
      .flatMap((value) => ('value' in value ? [value] : []))
    for (const { timestamp: at } of live) {
      expect(at).toBeGreaterThanOrEqual(start)
      expect(at).toBeLessThanOrEqual(Date.now())
    }
    // A burst of timers would be 6000 of them.
    const timers = stamped.filter(({ value }) => value === 'timer').length
    expect(timers).toBeLessThan(1_000)
  },
)

/** A gateway that records equal prices, its files, and a consumer of it behind a distant link. */
const startRecordingGateway = async () => {
  const service = await startService(() => 7)
  const folder = newFolder()
  const history = { folder, topics: [ethTopic] }
  const gateway = await startTestGateway(createPriceClient(service.url), { history })
  const url = await startDistantLink(gateway.baseUrl, 20)
  const files = (): readonly string[] =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.includes('.ndjson'))
      .map((name) => join(folder, name))
  return { service, gateway, url, files }
}

test.each(['history', ...(isLong ? ['files'] : [])])(
  'strategies that are started at any time receive each equal price once, from the %s of a gateway',
  async (source) => {
    const { service, gateway, url, files } = await startRecordingGateway()
    const from = Date.now() - 60_000
    const started = await joinOften(service, () =>
      collect(
        source === 'files'
          ? resume(consumerOf(url), files(), pricesOrErrors)
          : resume(consumerOf(url), openHistory(url), pricesOrErrors, { from }),
      ),
    )
    for (const values of started) {
      await eventually(() => expect(values).toContain(lastPrice))
      await untilLive(values, 0)
      // On a busy machine, a gateway leaves prices out.
      if (gateway.inspect().droppedPrices === 0)
        expect(values.filter((value) => typeof value !== 'object')).toEqual(service.sent)
    }
  },
)

test('a strategy that is killed and resumed again and again decides as one that was never interrupted', async () => {
  const { client, recorder, path } = await startRecorded()
  const decisions = (own: StrategyClient): Observable<string> =>
    pricesOrErrors(own).pipe(
      bufferCount(3),
      scan((sum, values) => sum + values.length * Number(values[0]), 0),
      map((sum) => sum.toFixed(5)),
    )
  const random = seededRandom('kills')
  const live: (readonly unknown[])[] = []
  for (let run = 0; run < (isLong ? 8 : 2); run++) {
    const values: unknown[] = []
    const subscription = resume(client, [path], decisions).subscribe((value) => values.push(value))
    await untilLive(values, 10 * random())
    subscription.unsubscribe()
    live.push(values)
  }
  await recorder.stop()
  const all: readonly unknown[] = await firstValueFrom(
    replay(path, { speed: Infinity }).run$(decisions).pipe(toArray()),
  )
  for (const values of live) {
    const decided = values.filter((value) => typeof value !== 'object')
    expect(decided).toEqual(all.slice(0, decided.length))
  }
})
