import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { topicsOf } from '../topics.js'

/** The content of a recording. */
export interface RecordingSize {
  readonly rows: number
  readonly topics: number
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

/** The lines of a recording of prices as `record` writes them. The topics alternate at random. */
function* linesOf({ rows, topics }: RecordingSize): Generator<string, void> {
  const names = topicsOf(topics)
  yield JSON.stringify({
    _tag: 'Recording',
    version: 1,
    at: start,
    topics: names,
    mints: [],
    interval: 1000,
  })
  yield JSON.stringify({ _tag: 'Status', at: start, status: { _tag: 'Open', epoch: 1, since: start } })
  const random = createRandom()
  const prices = names.map((_, index) => 10 ** (index % 5))
  let at = start
  for (let row = 0; row < rows; row += 1) {
    const index = Math.floor(random() * topics)
    const topic = names[index]
    // A random walk with as many digits as a computed price has.
    const price = (prices[index] ?? 1) * (1 + (random() - 0.5) / 1000)
    prices[index] = price
    at += Math.floor(random() * 18)
    const value = { topic, price: Number(price.toPrecision(9)), receivedAt: at, epoch: 1 }
    yield JSON.stringify({ _tag: 'Price', at, topic, event: { _tag: 'Right', right: value } })
  }
}

/** Writes a recording of prices, the same one for the same size. */
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
