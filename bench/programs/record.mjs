// Measures the recording of prices to a file, or the same rows by hand, per price, in a warm process.
import { createHash } from 'node:crypto'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { right } from 'fp-ts/lib/Either.js'
import { NEVER, Observable } from 'rxjs'
import { record } from '../node_modules/.build/recording/index.js'
import { handleRequests } from '../process/handle-requests.mjs'

const topic = 'svc-0x82af49447d8a07e3bd95bd0d56f35241523fbab1'

const eventOf = (index) =>
  right({
    topic,
    price: 2000 + Math.round(Math.sin(index) * 5e6) / 1e5,
    receivedAt: 1745462597105 + index,
    epoch: 1,
  })

/** Each returns how an event is recorded, and how the recording ends. */
const recorders = {
  'hand-written': (path) => {
    const file = openSync(path, 'wx')
    return {
      write: (event) =>
        writeSync(file, `${JSON.stringify({ _tag: 'Price', at: Date.now(), topic, event })}\n`),
      stop: () => closeSync(file),
    }
  },
  'svc-streams': (path) => {
    let subscriber
    const event$ = new Observable((added) => {
      subscriber = added
    })
    const client = { price: () => undefined, price$: () => event$, status$: NEVER, errors$: NEVER }
    const recorder = record(client, { topics: [topic], to: path })
    return { write: (event) => subscriber.next(event), stop: () => recorder.stop() }
  },
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

/** The rows without their times: one for each price. */
const hashOf = (path) => {
  const rows = readFileSync(path, 'utf8').matchAll(/^\{"_tag":"Price","at":\d+(.*)$/gm)
  const hash = createHash('sha256')
  for (const [, row] of rows) hash.update(row)
  return hash.digest('hex')
}

handleRequests({
  run: async ({ kind, repetitions }) => {
    const folder = mkdtempSync(join(tmpdir(), 'bench-record-'))
    try {
      const runOnce = async (name) => {
        const path = join(folder, name)
        const { write, stop } = recorders[kind](path)
        const cpu = process.cpuUsage()
        for (let sent = 0; sent < repetitions;) {
          for (const end = sent + 100; sent < end; sent += 1) write(eventOf(sent))
          await nextTurn()
        }
        const { user, system } = process.cpuUsage(cpu)
        await stop()
        return { microseconds: (user + system) / repetitions, path }
      }
      await runOnce('warm-up')
      const { microseconds, path } = await runOnce('measured')
      return { microseconds, results: hashOf(path) }
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
})
