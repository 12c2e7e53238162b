import { isLeft } from 'fp-ts/lib/Either.js'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { bufferCount, firstValueFrom, map, scan, toArray, type Observable } from 'rxjs'
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
import { eventsOf } from '../../history/support/files.js'

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

/** A simulator, a client, and a recorder of the client. */
const startRecorded = async () => {
  const simulator = await startTestSimulator({ tick })
  const path = join(newFolder(), 'market.ndjson')
  const client = createClientFor(simulator)
  const recorder = record(client, { topics: [ethTopic], to: path })
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
  expect(past.length).toBeGreaterThan(50)
  const prices = live.filter((value) => typeof value === 'number')
  const fromBorder = recorded.slice(recorded.indexOf(prices[0]!))
  expect(prices.slice(0, fromBorder.length)).toEqual(fromBorder.slice(0, prices.length))
  expect(live.filter((value) => typeof value !== 'number')).toEqual([{ _tag: 'CaughtUp' }])
})

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

test('strategies that are started at any time receive each equal price once, from the history of a gateway', async () => {
  const { service, gateway, url } = await startRecordingGateway()
  const from = Date.now() - 60_000
  const started = await joinOften(service, () =>
    collect(resume(consumerOf(url), openHistory(url), pricesOrErrors, { from })),
  )
  for (const values of started) {
    await eventually(() => expect(values).toContain(lastPrice))
    await untilLive(values, 0)
    // On a busy machine, a gateway leaves prices out.
    if (gateway.inspect().droppedPrices === 0)
      expect(values.filter((value) => typeof value !== 'object')).toEqual(service.sent)
  }
})

test('a strategy that is stopped and resumed again and again decides as one that was never interrupted', async () => {
  const { url, files } = await startRecordingGateway()
  const from = Date.now() - 60_000
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
    const client = consumerOf(url)
    const subscription = resume(client, openHistory(url), decisions, { from }).subscribe((value) =>
      values.push(value),
    )
    await untilLive(values, 10 * random())
    subscription.unsubscribe()
    live.push(values.filter((value) => typeof value !== 'object'))
  }
  await eventually(async () => {
    const all: readonly unknown[] = await firstValueFrom(
      replay(files(), { speed: Infinity }).run$(decisions).pipe(toArray()),
    )
    for (const decided of live) expect(decided).toEqual(all.slice(0, decided.length))
  })
})
