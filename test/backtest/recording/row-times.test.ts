import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { left, right } from 'fp-ts/lib/Either.js'
import { openHistory } from 'svc-streams/history'
import { replay, type Row } from 'svc-streams/recording'
import { onTestFinished, describe, expect, it } from 'vitest'
import { runInProcess } from '../../cli/support/in-process.js'
import { newFile } from '../../cli/support/new-file.js'
import { eventsOf } from '../history/support/files.js'
import { chunksOf, header, other, priceRow, recordingText, start, topic } from './support/recordings.js'

// Rows whose times are wrong: each reader says so.

const minute = 60_000

/** The messages of the channel until the test ends. */
const recordingMessages = (): readonly unknown[] => {
  const messages: unknown[] = []
  const listen = (message: unknown): void => void messages.push(message)
  subscribe('svc-streams:recording', listen)
  onTestFinished(() => void unsubscribe('svc-streams:recording', listen))
  return messages
}

const played = async (path: string) => {
  const client = replay(path, { speed: Infinity })
  await eventsOf(client.run$((inside) => inside.price$(topic)))
  return client.finished
}

const inspected = async (path: string) => {
  const { code, stdout, stderr } = await runInProcess(['inspect', path, '--json'])
  const topics = stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as object]))
  return { code, stderr, topics }
}

const skewed = (ms: number): Row => ({ ...priceRow(ms + 2 * minute, 5), at: start + ms })

describe('rows that are earlier than their predecessor', () => {
  const path = () =>
    newFile(
      'market.ndjson',
      recordingText(
        header,
        ...[0, 1000, 2000].map((ms) => priceRow(ms, 1)),
        ...[0, 1000, 2000].map((ms) => priceRow(ms, 2, other)),
        priceRow(1000, 3),
      ),
    )

  it('are counted by a replay, and reported once at its end', async () => {
    const messages = recordingMessages()
    const file = path()
    expect(await played(file)).toEqual(right({ rows: 7, earlierRows: 2, skewedRows: 0 }))
    expect(messages).toEqual([{ source: file, earlierRows: 2, skewedRows: 0 }])
  })

  it('are counted by inspect for the topic of the row, and are warnings of the commands', async () => {
    const file = path()
    expect(await inspected(file)).toMatchObject({
      code: 0,
      topics: [
        { topic, earlierRows: 1, skewedRows: 0 },
        { topic: other, earlierRows: 1, skewedRows: 0 },
      ],
    })
    const warning = '1 row was earlier than the row before: was a clock set back?'
    expect((await runInProcess(['inspect', file])).stderr).toContain(`warning: ${topic}: ${warning}\n`)
    expect((await runInProcess(['replay', file, '--speed', 'max'])).stderr).toContain(
      'warning: 2 rows were earlier than the row before: was a clock set back?\n',
    )
  })
})

describe('rows whose at and receivedAt differ by more than a minute', () => {
  it('are counted and reported by a replay, and counted by inspect', async () => {
    const messages = recordingMessages()
    const file = newFile('market.ndjson', recordingText(header, priceRow(0, 1), skewed(1), skewed(2)))
    expect(await played(file)).toEqual(right({ rows: 3, earlierRows: 0, skewedRows: 2 }))
    expect(messages).toEqual([{ source: file, earlierRows: 0, skewedRows: 2 }])
    expect(await inspected(file)).toMatchObject({ topics: [{ topic, skewedRows: 2 }, {}] })
  })
})

describe('a recording without such rows', () => {
  it('is not reported', async () => {
    const messages = recordingMessages()
    const file = newFile('market.ndjson', recordingText(header, priceRow(0, 1), priceRow(minute, 1)))
    expect(await played(file)).toEqual(right({ rows: 2, earlierRows: 0, skewedRows: 0 }))
    expect(messages).toEqual([])
    expect((await runInProcess(['inspect', file])).stderr).toBe('')
  })
})

describe.each([
  ['seconds', 1 / 1000],
  ['microseconds', 1000],
  ['nanoseconds', 1e6],
])('a time in %s', (unit, factor) => {
  it('is an error of each reader, which names the file, the line and the unit', async () => {
    const rows = [0, 1000, 2000].map((ms) => ({ ...priceRow(ms, 1), at: (start + ms) * factor }))
    const text = recordingText(header, ...rows)
    const file = newFile('market.ndjson', text)
    const message = expect.stringMatching(
      `line 2 of ${file}: \\S*at: expected a time in ms since the Unix epoch, got \\S+, which looks like ${unit}`,
    ) as string
    expect(await played(file)).toEqual(left(expect.objectContaining({ message, line: 2 })))
    expect(await inspected(file)).toMatchObject({ code: 1, topics: [{}, {}, { line: 2 }] })
    const past$ = openHistory([file]).prices$(topic, { from: start, to: start + minute })
    expect((await eventsOf(past$)).at(-1)).toMatchObject({ left: { message } })
    const exported = await runInProcess(['export', file, '--out', newFile('out.parquet')])
    expect(exported).toMatchObject({ code: 1, stderr: message })
    const replayed = await runInProcess(['replay', file, '--speed', 'max'])
    expect(replayed).toMatchObject({ code: 1, stderr: message })
  })

  it('is an error of a header too', async () => {
    const text = recordingText({ ...header, at: start * factor }, priceRow(0, 1))
    expect(await replay(chunksOf(text)).finished).toMatchObject({
      left: { line: 1, message: expect.stringContaining('a time in ms since the Unix epoch') as string },
    })
  })

  it('is an error too if a part is replayed that does not contain this time', async () => {
    const rows = [priceRow(0, 1), { ...priceRow(1000, 2), at: (start + 1000) * factor }]
    const client = replay(chunksOf(recordingText(header, ...rows)), {
      speed: Infinity,
      from: start,
      to: start + minute,
    })
    await eventsOf(client.run$((inside) => inside.price$(topic)))
    expect(await client.finished).toMatchObject({
      left: { line: 3, message: expect.stringContaining('a time in ms since the Unix epoch') as string },
    })
  })
})
