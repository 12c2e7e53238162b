import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { isLeft } from 'fp-ts/lib/Either.js'
import { lastValueFrom } from 'rxjs'
import { createClient, renderError, type RecordingError, type WriteError } from 'svc-streams'
import { record, replay } from 'svc-streams/recording'
import { recordedMarket, startSimulator } from 'svc-streams/simulator'
import { renderSvg } from './report/svg.js'
import { renderTable } from './report/table.js'
import type { Report } from './report/report.js'
import { account, report$, tokens } from './strategy.js'

// Paper trading over a recording, or live for some seconds:
//
//   node --import tsx examples/paper-trading/main.ts --duration 20s --record market.ndjson --svg report.svg
//   node --import tsx examples/paper-trading/main.ts --recording market.ndjson

const { values } = parseArgs({
  options: {
    recording: { type: 'string' },
    record: { type: 'string' },
    svg: { type: 'string' },
    duration: { type: 'string', default: '20s' },
  },
})

const fail = (message: string): never => {
  console.error(message)
  process.exit(2)
}

const exitOn = (error: RecordingError | WriteError): never => fail(renderError(error))

const overRecording = async (path: string): Promise<Report> => {
  const client = replay(path, { speed: Infinity })
  const report = await lastValueFrom(client.run$(report$), { defaultValue: undefined })
  const result = await client.finished
  if (isLeft(result)) return exitOn(result.left)
  return report ?? fail('the recording has no rows')
}

const live = async (seconds: number, path: string | undefined): Promise<Report> => {
  // A real deployment if the environment variables are set, otherwise the simulator, at 15 times the recorded speed.
  const { SVC_BASE_URL: baseUrl, SVC_PRICE_BASE_URL: priceBaseUrl, SVC_AUTH_KEY: authKey } = process.env
  const { SVC_PRICE_WS_URL: priceWsUrl } = process.env
  const real = { baseUrl, priceBaseUrl, authKey, ...(priceWsUrl && { priceWsUrl }) }
  await using simulator = baseUrl
    ? undefined
    : await startSimulator({ market: recordedMarket({ speed: 15 }) })
  await using client = createClient({ environment: 'mainnet', ...(simulator ?? real) })

  const listed = Object.values(tokens)
  const names = { topics: listed.map(({ topic }) => topic), mints: listed.map(({ address }) => address) }
  // The recorder has the interval of the account, so that both share the polls.
  const recorder =
    path === undefined ? undefined : record(client, { ...names, interval: account.interval, to: path })
  // Ends the run early if the file cannot be written.
  void recorder?.finished.then(() => client.close())
  const report = lastValueFrom(report$(client))
  // The run and the recording end with the streams of the client, after the same event.
  const end = setTimeout(() => void client.close(), seconds * 1000)
  process.once('SIGINT', () => void client.close())
  const result = await report
  clearTimeout(end)
  const written = await recorder?.finished
  if (written !== undefined && isLeft(written)) return exitOn(written.left)
  return result
}

const [, seconds] =
  /^(\d+(?:\.\d+)?)s$/.exec(values.duration) ?? fail('Give a --duration in seconds, such as 20s.')
const { recording, record: path, svg } = values
const report = recording === undefined ? await live(Number(seconds), path) : await overRecording(recording)
console.log(renderTable(report))
if (svg !== undefined) writeFileSync(svg, renderSvg(report, 'Paper trading: equity'))
