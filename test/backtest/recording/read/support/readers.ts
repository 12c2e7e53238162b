import { pathToFileURL } from 'node:url'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { isRight } from 'fp-ts/lib/Either.js'
import { map, merge } from 'rxjs'
import type { Client, Topic } from 'svc-streams'
import { openHistory } from 'svc-streams/history'
import { replay, type RecordingSource } from 'svc-streams/recording'
import { expect } from 'vitest'
import { runInProcess } from '../../../../cli/support/in-process.js'
import { newModule, runSweep } from '../../../sweep/support/run-sweep.js'
import { newFolder } from '../../../../support/new-folder.js'
import { eventsOf } from '../../../history/support/files.js'
import { collect, other, start, topic } from '../../support/recordings.js'

// What each reader of a set of recordings reads of two topics.

const day = 86_400_000

export const prices$ = (client: Client) =>
  merge(...[topic, other].map((each) => client.price$(each))).pipe(
    map((event) => (isRight(event) ? event.right.price : event.left._tag)),
  )

/** The module of a strategy that emits each price. */
const strategyText = `
import { filter, map, merge } from 'rxjs'
export default (client) =>
  merge(...['${topic}', '${other}'].map((topic) => client.price$(topic))).pipe(
    filter(({ _tag }) => _tag === 'Right'),
    map(({ right }) => right.price),
  )
`

const isPrice = (value: number | string): value is number => typeof value === 'number'

export const ofReplay = async (files: RecordingSource): Promise<readonly number[]> => {
  const client = replay(files, { speed: Infinity })
  const events = await collect(client.run$(prices$))
  expect(await client.finished).toMatchObject({ right: {} })
  return events.filter(isPrice)
}

export const ofSweep = async (files: readonly string[]): Promise<unknown> => {
  const module = pathToFileURL(newModule('strategy.mjs', strategyText))
  const [result] = await collect(runSweep([...files], [{ kind: 'any' }], { workers: 1 }, {}, module))
  return result !== undefined && isRight(result) ? result.right.values : result
}

export const ofExport = async (files: readonly string[]): Promise<readonly number[]> => {
  const out = `${newFolder()}/all.parquet`
  expect(await runInProcess(['export', ...files, '--out', out])).toMatchObject({ code: 0 })
  const file = await asyncBufferFromFile(out.replace('parquet', 'prices.parquet'))
  const rows = await parquetReadObjects({ file })
  return rows.map(({ price }) => price as number)
}

/** The prices of each topic. */
export const ofHistory = async (files: readonly string[]) => {
  const history = openHistory([...files])
  const past = async (each: Topic): Promise<readonly number[]> => {
    const range = { from: start - day, to: start + 10 * day }
    const events = await eventsOf(history.prices$(each, range))
    return events.flatMap((event) =>
      isRight(event) && event.right._tag === 'PastPrice' ? [event.right.price] : [],
    )
  }
  return [await past(topic), await past(other)]
}

/** The topics with the times that they cover, in the order of their names. */
export const ofTopics = async (files: readonly string[]) => {
  const topics = await openHistory([...files]).topics()()
  return isRight(topics) ? topics.right.toSorted((a, b) => a.topic.localeCompare(b.topic)) : topics
}

/** The number of rows of each topic. */
export const ofInspect = async (files: readonly string[]): Promise<readonly number[]> => {
  const { stdout } = await runInProcess(['inspect', ...files, '--json'])
  const topics = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { topic: Topic; rows: number })
  const rowsOf = (each: Topic) => topics.find((summary) => summary.topic === each)?.rows ?? 0
  return [rowsOf(topic), rowsOf(other)]
}
