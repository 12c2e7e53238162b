import { inRounds, valuesOf } from '../measure/rounds.js'
import { ratios, spreadOf } from '../measure/statistics.js'
import { withChild } from '../process/child.js'
import { formatSpread } from '../report/format-figure.js'
import type { Section } from '../report/markdown.js'
import { withRecording } from '../server/recording.js'
import type { Settings } from '../settings.js'
import { topicsOf } from '../topics.js'

interface Reader {
  readonly name: string
  readonly operation: string
  readonly limit?: number
}

interface ReadResult {
  readonly microseconds: number
  /** The peak memory of the process. */
  readonly megabytes: number
  readonly result: string
}

const byHand: Reader = { name: 'by hand: split lines, `JSON.parse`, a `Map`', operation: 'by hand' }

/** Each keeps the last price of each topic. */
const readers: readonly Reader[] = [
  byHand,
  { name: 'split2 with `JSON.parse`, a `Map`', operation: 'split2' },
  { name: 'stream-json, a `Map`', operation: 'stream-json' },
  { name: '**svc-streams** ten `price$`, a `Map`', operation: 'replay', limit: 0.8 },
]

const strategies: readonly Reader[] = [
  { name: '**svc-streams** `combineFresh` of two `price$`', operation: 'combineFresh' },
  ...['freshWithin', 'conflate', 'candles'].map((operation) => ({
    name: `**svc-streams** ten \`price$\`, each with \`${operation}\``,
    operation,
  })),
]

const topics = topicsOf(10)

/** After one reading, V8 compiles the code again: it has seen rows alone, and the next recording starts with a header. */
const timesRead = 4

/** The cost of a row of a recording, without and with operators, relative to reading it by hand. */
export const replays = async ({ rounds, replayRows }: Settings): Promise<Section> => {
  const candidates = [...readers, ...strategies]
  const measured = await withRecording({ rows: replayRows, topics: topics.length }, (path) =>
    inRounds(rounds, candidates, ({ operation }) => readRecording(operation, path, timesRead)),
  )
  const results = new Set(readers.flatMap((reader) => measured.get(reader) ?? []).map(({ result }) => result))
  if (results.size !== 1) throw new Error('replay: the results differ')
  const micros = (reader: Reader) =>
    valuesOf(measured, reader, ({ microseconds }) => microseconds / replayRows)
  return {
    method: `CPU in µs per row of a recording of ${replayRows} prices of ten topics, read from a file ${timesRead} times, after ${timesRead} readings that warm up, speed Infinity, ${rounds} rounds. Cost: relative to the first row in the same round, lower is better.`,
    columns: ['Reader', 'µs', 'cost'],
    rows: candidates.map((candidate) => [
      candidate.name,
      formatSpread(spreadOf(micros(candidate))),
      formatSpread(spreadOf(ratios(micros(candidate), micros(byHand)))),
    ]),
    limit: candidates.map(({ limit }) => limit),
    notes: [
      'In a CPU profile of ten `price$`, a third of the time reads the bytes of the rows, 40 % passes the event through the clocks and subscribers between the recording and the strategy, and 4 % waits for the promises of the strategy after each row.',
      'After one reading, a replay takes about 0.2 µs per row more: the code that V8 has optimized for rows does not fit the header and the status at the start of the next recording. V8 discards it there, and compiles it again while the next tens of thousands of rows are played.',
    ],
  }
}

/** Each keeps the last price of each topic, and the last midpoint of each mint. */
const depthRecordings = [
  { name: 'one depth in eight rows', depthEvery: 8, limit: 0.9 },
  { name: 'depths alone', depthEvery: 1, limit: 1.1 },
]

/** The cost of a row of a recording with depths, relative to reading it by hand, with quantities that are not exact. */
export const replayedDepths = async ({ rounds, replayRows }: Settings): Promise<Section> => {
  const readings = { byHand: 'by hand', library: 'depths' }
  const rows: string[][] = []
  for (const { name, depthEvery } of depthRecordings) {
    const operations = Object.values(readings)
    const measured = await withRecording({ rows: replayRows, topics: topics.length, depthEvery }, (path) =>
      inRounds(rounds, operations, (operation) => readRecording(operation, path, timesRead)),
    )
    if (new Set([...measured.values()].flat().map(({ result }) => result)).size !== 1)
      throw new Error(`replay, ${name}: the results differ`)
    const micros = (operation: string) =>
      valuesOf(measured, operation, ({ microseconds }) => microseconds / replayRows)
    const [byHandMicros, libraryMicros] = [micros(readings.byHand), micros(readings.library)]
    rows.push([
      name,
      formatSpread(spreadOf(byHandMicros)),
      formatSpread(spreadOf(libraryMicros)),
      formatSpread(spreadOf(ratios(libraryMicros, byHandMicros))),
    ])
  }
  return {
    method: `The same for recordings with depths, with ten \`price$\` and ten \`depth$\`. By hand: split lines, \`JSON.parse\`, a \`Map\`, with quantities that stay texts. Cost: relative to that in the same round, lower is better.`,
    columns: ['Recording', 'by hand, µs', 'svc-streams, µs', 'cost'],
    rows,
    limit: depthRecordings.map(({ limit }) => limit),
    notes: [
      'In a CPU profile of depths alone, `Object.defineProperty`, which gives both sides a hidden `toJSON`, takes 12 %. No other way of JavaScript creates a property that comparisons and copies do not see.',
    ],
  }
}

/** Reads a recording of ten topics in a new process. A short recording is read several times, because V8 must optimize the code. */
export const readRecording = (operation: string, path: string, times = 1): Promise<ReadResult> =>
  withChild('programs/replay.mjs', (child) =>
    child.request<ReadResult>('run', { operation, path, topics, times }),
  )
