import { createHash } from 'node:crypto'
import { parseArgs } from 'node:util'
import {
  describeFailure,
  runEpisode,
  scenarioOf,
  searchSeeds,
  shrink,
  type SearchResult,
} from './search/index.js'

// Simulates clients, services and networks that fail, one scenario per seed, until an invariant is violated:
// `npm run simulate-failures -- --seed 42 --hours 100`. Prints the trace of one seed: `-- --seed 42 --trace`.

const hourMs = 3_600_000

/** The interval of the progress lines, in ms. */
const progressMs = 10_000

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    hours: { type: 'string', default: '10' },
    trace: { type: 'boolean', default: false },
  },
})
const firstSeed = Number(values.seed)
const hours = Number(values.hours)
if (!Number.isInteger(firstSeed) || !(hours > 0)) throw new Error('expected numbers: --seed 42 --hours 100')

const describe = ({ seeds, simulatedMs, events, delivered, elapsedMs }: SearchResult): string => {
  const simulated = simulatedMs / hourMs
  const perHour = (simulatedMs / elapsedMs).toFixed(0)
  const perSecond = ((events / elapsedMs) * 1000).toFixed(0)
  return (
    `${seeds} seeds, ${simulated.toFixed(1)} simulated hours in ${(elapsedMs / 1000).toFixed(0)} s: ` +
    `${perHour} simulated hours an hour, ${perSecond} events a second, ${delivered} events delivered`
  )
}

const search = async (): Promise<void> => {
  let nextProgress = progressMs
  const onSeed = (result: SearchResult): void => {
    if (result.elapsedMs < nextProgress) return
    nextProgress = result.elapsedMs + progressMs
    console.error(describe(result))
  }
  const result = await searchSeeds({ firstSeed, simulatedMs: hours * hourMs, onSeed })
  console.log(describe(result))
  if (result.failure === undefined) return
  console.log(`\nThe shortest history found:\n\n${describeFailure(await shrink(result.failure))}`)
  process.exitCode = 1
}

const printTrace = async (): Promise<void> => {
  const { trace } = await runEpisode(scenarioOf(firstSeed), true)
  const text = trace.join('\n')
  console.log(text)
  console.error(`SHA-256 of the trace: ${createHash('sha256').update(text).digest('hex')}`)
}

await (values.trace ? printTrace() : search())
