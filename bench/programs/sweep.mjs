// Measures how long one strategy takes with several parameters: in worker threads, and one after another.
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { isLeft } from 'fp-ts/lib/Either.js'
import { lastValueFrom, Subject, toArray } from 'rxjs'
import { replay } from '../node_modules/.build/recording/index.js'
import { sweepOn } from '../node_modules/.build/backtest/sweep/sweep.js'
import { handleRequests } from '../process/handle-requests.mjs'
import strategy from './sweep-strategy.mjs'

const sweep = sweepOn({
  program: () => ({ url: new URL('../node_modules/.build/sweep/worker/main.js', import.meta.url) }),
})

/** Each returns the values of each parameter. */
const ways = {
  'by-hand': async ({ recording, parameters }) => {
    const all = []
    for (const parameter of parameters) {
      const client = replay(recording, { speed: Infinity })
      all.push(await lastValueFrom(client.run$((inner) => strategy(inner, parameter)).pipe(toArray())))
    }
    return all
  },
  /** One subject for all parameters: no clock, no errors, no isolation. */
  rx: async ({ recording, parameters }) => {
    const price$ = new Subject()
    const all = parameters.map((parameter) => {
      const values = []
      strategy({ price$: () => price$ }, parameter).subscribe((value) => values.push(value))
      return values
    })
    for await (const line of createInterface({ input: createReadStream(recording) })) {
      const { _tag, event } = JSON.parse(line)
      if (_tag === 'Price') price$.next(event)
    }
    return all
  },
  sweep: async ({ recording, parameters, workers, strategy = 'sweep-strategy.mjs' }) => {
    const url = new URL(strategy, import.meta.url)
    const results = await lastValueFrom(sweep(recording, url, parameters, { workers }).pipe(toArray()))
    return results.map((result) => {
      if (isLeft(result)) throw new Error(result.left.message)
      return result.right.values
    })
  },
}

handleRequests({
  run: async ({ way, ...task }) => {
    const start = performance.now()
    const cpu = process.cpuUsage()
    const values = await ways[way](task)
    // Of all threads.
    const { user, system } = process.cpuUsage(cpu)
    const seconds = (performance.now() - start) / 1000
    return {
      seconds,
      cpuMicroseconds: user + system,
      values: JSON.stringify(values, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
    }
  },
})
