import { Session, type Profiler } from 'node:inspector'
import { isRight, type Either } from 'fp-ts/lib/Either.js'
import type { Observable } from 'rxjs'
import type { Address } from '../../../src/base/domain/address.js'
import { nextTurn } from '../../../src/base/time/macrotask.js'
import { createClient } from '../../../src/client/on-node.js'

// Runs in a process of its own, over sources that are compiled one by one: a bundle has no files to count. Prints the
// functions of the library that each way runs, by the file in `src`.

const [, , baseUrl = '', priceBaseUrl = '', priceWsUrl = '', authKey = '', first, second] = process.argv

const session = new Session()
session.connect()
session.post('Profiler.enable')
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

type Functions = Readonly<Record<string, readonly string[]>>

/** The functions that have run since the last call. */
const functionsRun = (): Functions => {
  const files: Record<string, readonly string[]> = {}
  // Calls back before it returns.
  session.post(
    'Profiler.takePreciseCoverage',
    (_error, { result }: Profiler.TakePreciseCoverageReturnType) => {
      for (const { url, functions } of result) {
        const [, file] = /\/src\/(.+)\.js$/.exec(url) ?? []
        const run = functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0)
        if (file === undefined || run.length === 0) continue
        files[file] = run.map(({ functionName }) => functionName || 'anonymous')
      }
    },
  )
  return files
}

const ways: Record<string, Functions> = {}

/**
 * Counts the way from a subscription to its first value, and the way to a later value, if that has a name. The stream
 * stays subscribed, so that nothing else runs.
 */
const count = async (
  stream$: () => Observable<Either<unknown, unknown>>,
  name: string,
  later?: string,
): Promise<void> => {
  // The connection of the last request is free in a later turn.
  await nextTurn()
  const names = later === undefined ? [name] : [name, undefined, later]
  functionsRun()
  await new Promise<void>((resolve) => {
    stream$().subscribe((event) => {
      if (!isRight(event) || names.length === 0) return
      const functions = functionsRun()
      const way = names.shift()
      if (way !== undefined) ways[way] = functions
      if (names.length === 0) resolve()
    })
  })
}

const client = createClient({ environment: 'mainnet', baseUrl, priceBaseUrl, priceWsUrl, authKey })
const [weth, wbtc] = [first as Address, second as Address]
const hour = 3_600_000
await count(() => client.depth$(weth, hour), 'a depth poll, with the dial')
await count(() => client.depth$(wbtc, hour), 'a depth poll')
await count(() => client.price$(`svc-${weth}`), 'a subscribe, with the dial')
await count(() => client.price$(`svc-${wbtc}`), 'a subscribe', 'a price')
console.log(JSON.stringify(ways))
await client.close()
