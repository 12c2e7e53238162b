import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { collect, header, priceRow, recordingText, topic } from '../backtest/recording/support/recordings.js'
import { replay } from 'svc-streams/recording'
import { openPage, type PageScope } from './support/page.js'

const rows = Array.from({ length: 1000 }, (_, index) => priceRow(index, index + 1))
const text = recordingText(header, ...rows)

/** The prices of a replay in a page, and its result. */
const replayInPage = async (bytes: readonly number[], isText: boolean): Promise<unknown> => {
  const page = await openPage()
  return page.evaluate(
    async ([given, name, asText]) => {
      const { recording, rxjs } = globalThis as unknown as PageScope
      const data = Uint8Array.from(given)
      const source = asText
        ? new TextDecoder().decode(data)
        : (new Blob([data]).stream() as AsyncIterable<Uint8Array>)
      const client = recording.replay(source, { speed: Infinity })
      const prices = client.run$((recorded) => recorded.price$(name)).pipe(rxjs.toArray())
      return { events: await rxjs.firstValueFrom(prices), result: await client.finished }
    },
    [[...bytes], topic, isText] as const,
  )
}

describe('replay in a page', () => {
  it.each([
    ['a string, which is the text of the recording', [...Buffer.from(text)], true],
    ['a ReadableStream', [...Buffer.from(text)], false],
    ['a ReadableStream of gzip data', [...gzipSync(text)], false],
  ])('of %s emits the events of Node', async (_, bytes, isText) => {
    const expected = await collect(replay([[text]], { speed: Infinity }).price$(topic))
    expect(await replayInPage(bytes, isText)).toEqual({
      events: expected,
      result: { _tag: 'Right', right: { rows: 1000, earlierRows: 0, skewedRows: 0 } },
    })
  })

  it.each([
    ['truncated gzip data', [...gzipSync(text).subarray(0, -20)], 'gzip'],
    ['a damaged row', [...Buffer.from(text.replace('"price":500', '"price":-500'))], 'price'],
  ])('of %s ends with a RecordingError', async (_, bytes, message) => {
    expect(await replayInPage(bytes, false)).toMatchObject({
      result: {
        _tag: 'Left',
        left: { _tag: 'RecordingError', message: expect.stringContaining(message) as unknown },
      },
    })
  })
})

describe('record in a page', () => {
  it('writes to an object with `write`, and rejects a path', async () => {
    const page = await openPage()
    const result = await page.evaluate(async (name) => {
      const { recording, testing, rxjs } = globalThis as unknown as PageScope
      const client = testing.createTestClient({ prices: { [name]: rxjs.of(testing.price(name, 1.5)) } })
      const lines: string[] = []
      const write = (line: string, done: () => void): void => {
        lines.push(line)
        done()
      }
      const { finished } = recording.record(client, { topics: [name], to: { write } })
      await finished
      try {
        recording.record(client, { topics: [name], to: 'market.ndjson' })
        return undefined
      } catch (thrown) {
        return { lines: lines.length, message: (thrown as Error).message }
      }
    }, topic)
    expect(result).toEqual({
      lines: expect.any(Number) as unknown,
      message: expect.stringContaining('a browser has no files') as unknown,
    })
  })
})
