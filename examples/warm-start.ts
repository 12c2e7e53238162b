import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { filter, firstValueFrom, map, scan, takeUntil, timer } from 'rxjs'
import { createClient, defineTokens } from 'svc-streams'
import { openHistory, type History } from 'svc-streams/history'
import { rights } from 'svc-streams/operators'
import { record } from 'svc-streams/recording'
import { startSimulator } from 'svc-streams/simulator'
import { warmMomentum$ } from './strategies/warm-momentum.js'

// A strategy that needs 26 candles, started twice: with the recording of what came before, and without. A candle takes
// 100 ms here.

const { topic } = defineTokens({
  ETH: { address: '0x82af49447d8a07e3bd95bd0d56f35241523fbab1', decimals: 18 },
}).ETH
const periods = { ms: 100, fastPeriod: 12, slowPeriod: 26 }

await using simulator = await startSimulator({ tick: 10 })
await using client = createClient({ environment: 'mainnet', ...simulator })
const folder = mkdtempSync(join(tmpdir(), 'warm-start-'))
const file = join(folder, 'market.ndjson')

/** Prints how long the strategy waits for its averages. */
const start = async (label: string, history: History | undefined): Promise<void> => {
  const startedAt = Date.now()
  const live$ = warmMomentum$(client, topic, history, periods).pipe(
    rights(),
    filter(({ at }) => at > startedAt),
    scan((candles, { lead }) => ({ number: candles.number + 1, lead }), {
      number: 0,
      lead: null as number | null,
    }),
    filter(({ lead }) => lead !== null),
    map(({ number }) => number),
    takeUntil(timer(20_000)),
  )
  console.log(`${label}  trades from live candle ${await firstValueFrom(live$)} on`)
}

const recorder = record(client, { topics: [topic], to: file })
await wait((periods.slowPeriod + 4) * periods.ms)
await start('with a history     ', openHistory([file]))
await start('without a history  ', undefined)
await recorder.stop()
rmSync(folder, { recursive: true })
