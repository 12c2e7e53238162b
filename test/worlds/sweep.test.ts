import { fileURLToPath, pathToFileURL } from 'node:url'
import { buildSync } from 'esbuild'
import fc from 'fast-check'
import { lastValueFrom, toArray } from 'rxjs'
import { replay } from 'svc-streams/recording'
import { expect, inject, it } from 'vitest'
import { chunksOf } from '../backtest/recording/support/recordings.js'
import { newModule, runSweep } from '../backtest/sweep/support/run-sweep.js'
import { runLive } from './support/live-world.js'
import { market } from './support/market.js'
import { strategies } from './support/strategies.js'

/** The strategies as a module that the worker threads import, beside the packages. */
const strategiesModule = (): URL => {
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(new URL('support/strategies.ts', import.meta.url))],
    bundle: true,
    packages: 'external',
    format: 'esm',
    target: 'node20',
    write: false,
  })
  return pathToFileURL(newModule('strategies.mjs', outputFiles[0]?.text ?? ''))
}

it('a sweep gives each strategy the values of its own replay, beside all others', async () => {
  const [steps = []] = fc.sample(market, { numRuns: 1, seed: inject('seed') })
  const { recording } = runLive(steps, strategies['every event']!)
  const path = newModule('market.ndjson', recording)
  const names = Object.keys(strategies)
  const results = await lastValueFrom(
    runSweep(path, names as never, { workers: 2 }, {}, strategiesModule()).pipe(toArray()),
  )
  const values = results.map((result) => (result._tag === 'Right' ? result.right.values : result.left))
  for (const [index, name] of names.entries()) {
    const client = replay(chunksOf(recording), { speed: Infinity })
    const alone = await lastValueFrom(client.run$(strategies[name]!).pipe(toArray()))
    expect(values[index], name).toEqual(structuredClone(alone))
  }
})
