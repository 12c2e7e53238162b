import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { topicsOf } from '../topics.js'
import { createDepthBodies } from './depth-bodies.js'

/** The content of a recording. */
export interface RecordingSize {
  readonly rows: number
  readonly topics: number
  /** Each row of this number is a depth. Default: none. */
  readonly depthEvery?: number
}

/** Start of the recording, in ms since the Unix epoch. */
const start = Date.UTC(2026, 0, 5)

const batchSize = 4096

/** A pseudo-random number from 0 to 1, the same sequence each time. */
const createRandom = (): (() => number) => {
  let state = 1
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** The lines of a recording as `record` writes them. The topics alternate at random. */
function* linesOf({ rows, topics, depthEvery }: RecordingSize): Generator<string, void> {
  const names = topicsOf(topics)
  const sides = createDepthBodies(1000).map(recordedSides)
  yield JSON.stringify({
    _tag: 'Recording',
    version: 1,
    at: start,
    topics: names,
    mints: depthEvery === undefined ? [] : names.map(mintOf),
    interval: 1000,
  })
  yield JSON.stringify({ _tag: 'Status', at: start, status: { _tag: 'Open', epoch: 1, since: start } })
  const random = createRandom()
  const prices = names.map((_, index) => 10 ** (index % 5))
  let at = start
  for (let row = 0; row < rows; row += 1) {
    const index = Math.floor(random() * topics)
    const topic = names[index] ?? ''
    // A random walk with as many digits as a computed price has.
    const price = (prices[index] ?? 1) * (1 + (random() - 0.5) / 1000)
    prices[index] = price
    at += Math.floor(random() * 18)
    const rounded = Number(price.toPrecision(9))
    if (depthEvery !== undefined && row % depthEvery === 0) {
      const [mint, timestamp] = [mintOf(topic), Math.floor(at / 1000)]
      const depth = { mint, price: rounded, timestamp, ...sides[row % sides.length], receivedAt: at }
      yield JSON.stringify({ _tag: 'Depth', at, mint, event: { _tag: 'Right', right: depth } })
      continue
    }
    const value = { topic, price: rounded, receivedAt: at, epoch: 1 }
    yield JSON.stringify({ _tag: 'Price', at, topic, event: { _tag: 'Right', right: value } })
  }
}

/** The address of a topic. */
const mintOf = (topic: string): string => topic.slice(topic.indexOf('-') + 1)

/** The sides of the body of a response, as `record` writes them. */
const recordedSides = (body: string) => {
  const [buy, sell] = Array.from(
    body.matchAll(/"total_quantity":(\d+),"total_quantity_usd":([\d.]+)/g),
    ([, quantity, usd]) => ({ totalQuantity: quantity, totalQuantityUsd: Number(usd) }),
  )
  return { buy, sell }
}

/** Writes a recording, the same one for the same size. */
export const writeRecording = async (path: string, size: RecordingSize): Promise<void> => {
  const file = createWriteStream(path)
  let batch: string[] = []
  for (const line of linesOf(size)) {
    batch.push(line, '\n')
    if (batch.length < batchSize) continue
    if (!file.write(batch.join(''))) await once(file, 'drain')
    batch = []
  }
  file.end(batch.join(''))
  await once(file, 'close')
}

/** Calls back with the path of a recording, which is removed afterwards. */
export const withRecording = async <A>(
  size: RecordingSize,
  use: (path: string) => Promise<A>,
): Promise<A> => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-streams-bench-'))
  try {
    const path = join(folder, 'market.ndjson')
    await writeRecording(path, size)
    return await use(path)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
