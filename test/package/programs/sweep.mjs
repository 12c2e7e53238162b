import { createRequire } from 'node:module'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lastValueFrom, of, toArray } from 'rxjs'
import { record } from 'svc-streams/recording'
import { sweep } from 'svc-streams/sweep'
import { createTestClient, price } from 'svc-streams/testing'

// Sweeps a recording with a strategy as an ES module and as CommonJS, by the function that `import` and `require` return.
const topic = 'svc-0xab'
const folder = mkdtempSync(join(tmpdir(), 'sweep-'))
const to = join(folder, 'market.ndjson.gz')
const client = createTestClient({
  prices: { [topic]: of(price(topic, 1), price(topic, 2), price(topic, 3)) },
})
await record(client, { topics: [topic], to }).finished

const required = createRequire(import.meta.url)('svc-streams/sweep')
const run = (strategy) =>
  lastValueFrom(
    required.sweep(to, new URL(strategy, import.meta.url), [1, 2, 'unknown'], { workers: 2 }).pipe(toArray()),
  )
const short = (result) =>
  result._tag === 'Right'
    ? [result.right.values, result.right.summary]
    : [result.left.why, result.left.message]

console.log(
  JSON.stringify({
    same: required.sweep === sweep,
    esm: (await run('sweep-strategy.mjs')).map(short),
    cjs: (await run('sweep-strategy.cjs')).map(short),
  }),
)
rmSync(folder, { recursive: true })
