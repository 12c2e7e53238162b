import { asyncScheduler, interval, map, merge, takeUntil } from 'rxjs'
import { candles } from 'svc-streams/operators'
import { replay, type ReplayOptions } from 'svc-streams/recording'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nodePlatform } from '../../../src/backtest/recording/read/node-platform.js'
import { OpenableSource } from '../../../src/backtest/recording/read/openable-source.js'
import { openableSource } from '../../../src/backtest/recording/read/source.js'
import { replaySettings } from '../../../src/backtest/replay/replay-options.js'
import { replaySources } from '../../../src/backtest/replay/replay.js'
import { newFile } from '../../cli/support/new-file.js'
import { counted } from '../history/support/counted.js'
import {
  chunksOf,
  collect,
  header,
  priceRow,
  recordingText,
  start,
  summary$,
  topic,
} from '../recording/support/recordings.js'
import { playedRows } from '../recording/support/rows.js'

const hour = 3_600_000
const text = recordingText(header, ...[0, 1, 2, 3, 4].map((n) => priceRow(n * hour, n + 1)))

const replayPart = (options: ReplayOptions, source = text) =>
  replay(chunksOf(source), { speed: Infinity, ...options })

describe('from and to', () => {
  it.each<[ReplayOptions, readonly string[]]>([
    [{ from: start + hour }, ['2', '3', '4', '5']],
    [{ from: start + hour + 1 }, ['3', '4', '5']],
    [{ to: start + 2 * hour }, ['1', '2']],
    [{ to: start + 2 * hour + 1 }, ['1', '2', '3']],
    [{ from: start + hour, to: start + 3 * hour }, ['2', '3']],
    [{ from: start - hour, to: start + 9 * hour }, ['1', '2', '3', '4', '5']],
    [{ from: start + 9 * hour }, []],
    [{ to: start }, []],
  ])('%j play the rows from `from` on and before `to`', async (options, expected) => {
    const client = replayPart(options)
    expect(await collect(summary$(client))).toEqual(expected)
    expect(await client.finished).toEqual(playedRows(expected.length))
    expect(await client.header()).toMatchObject({ right: header })
  })

  it('start the time of the replay at `from`', async () => {
    const client = replayPart({ from: start + 2 * hour - 10, to: start + 3 * hour })
    const seen = client.run$((inside) =>
      merge(
        summary$(inside),
        interval(4).pipe(
          map((n) => `tick ${n}`),
          takeUntil(inside.price$(topic)),
        ),
      ).pipe(map((what) => `${asyncScheduler.now() - start - 2 * hour} ${what}`)),
    )
    expect(await collect(seen)).toEqual(['-6 tick 0', '-2 tick 1', '0 3'])
  })

  it.each([1, 1000])('do not wait for the time before or after the part at speed %s', async (speed) => {
    const later = recordingText({ ...header, at: start + 5 * hour }, priceRow(5 * hour, 6))
    const client = replay([chunksOf(text), chunksOf(later)], {
      speed,
      from: start + 2 * hour,
      to: start + 2 * hour + 1,
    })
    expect(await collect(summary$(client))).toEqual(['3'])
  })

  it('play each row of the part, whatever the order of the rows', async () => {
    const unordered = recordingText(header, ...[5, 1, 9, 3, 7, 2].map((n) => priceRow(n, n)))
    expect(await collect(summary$(replayPart({ from: start + 2, to: start + 6 }, unordered)))).toEqual([
      '5',
      '3',
      '2',
    ])
  })

  it('ignore a row outside of the part that is more than a year away', async () => {
    const far = recordingText(header, priceRow(0, 1), priceRow(500 * 24 * hour, 2), priceRow(2, 3))
    expect(await collect(summary$(replayPart({ to: start + hour }, far)))).toEqual(['1', '3'])
  })

  it('play the rows of other writers', async () => {
    const spaced = text.replaceAll('":', '": ').replaceAll(',"', ', "')
    expect(await collect(summary$(replayPart({ from: start + hour, to: start + 3 * hour }, spaced)))).toEqual(
      ['2', '3'],
    )
  })

  it('emit a candle that begins at `from`', async () => {
    const minutes = recordingText(header, ...[0, 1, 2, 3].map((n) => priceRow(n * 60_000, n + 1)))
    const client = replayPart({ from: start + 60_000 }, minutes)
    const opened = client.run$((inside) => inside.price$(topic).pipe(candles(60_000)))
    expect(await collect(opened)).toMatchObject([{ right: { open: 2 } }, { right: { open: 3 } }])
  })

  it('play what a filter of the rows keeps, for any parts', async () => {
    const time = fc.integer({ min: -5, max: 50 })
    await fc.assert(
      fc.asyncProperty(fc.array(time, { maxLength: 30 }), time, time, async (times, one, two) => {
        fc.pre(one !== two)
        const [from, to] = [Math.min(one, two), Math.max(one, two)]
        const source = recordingText(header, ...times.map((ms, n) => priceRow(ms, n + 1)))
        const expected = times.flatMap((ms, n) => (ms >= from && ms < to ? [String(n + 1)] : []))
        expect(await collect(summary$(replayPart({ from: start + from, to: start + to }, source)))).toEqual(
          expected,
        )
      }),
    )
  })

  it.each<[object, string]>([
    [{ from: NaN }, 'from: expected a time in ms since the Unix epoch'],
    [{ to: Infinity }, 'to: expected a time in ms since the Unix epoch'],
    [{ from: '2026-11-22' }, 'from: expected a time in ms since the Unix epoch'],
    [{ from: 5, to: 5 }, 'to: expected a time after from'],
    [{ from: 6, to: 5 }, 'to: expected a time after from'],
    [{ From: 5 }, 'From: did you mean from?'],
  ])('%j throw a ConfigurationError', (options, message) => {
    expect(() => replay([], options)).toThrow(message)
  })
})

describe('a part of a plain file', () => {
  const rows = Array.from({ length: 10_000 }, (_, second) =>
    recordingText(priceRow(second * 1000, second + 1)),
  )
  const range = { from: start + 7_000_000, to: start + 7_010_000 }

  const newRecording = (lines: readonly string[]) =>
    newFile('market.ndjson', recordingText(header) + lines.join(''))

  const played = async (lines: readonly string[], part: ReplayOptions = range) => {
    const file = counted(newRecording(lines))
    const client = replaySources(
      [file.source],
      replaySettings({ speed: Infinity, ...part }),
      nodePlatform.publish,
    )
    const events = await collect(summary$(client))
    return { events, finished: await client.finished, bytes: file.bytes }
  }

  const expected = Array.from({ length: 10 }, (_, n) => String(7001 + n))

  it('costs what it has, not what the file has', async () => {
    const { events, bytes } = await played(rows)
    expect(events).toEqual(expected)
    expect(rows.join('').length).toBeGreaterThan(1_500_000)
    expect(bytes).toBeLessThan(500_000)
  })

  it('has the rows of its time also if the clock was set back between them', async () => {
    const again = [
      ...rows.slice(0, 7005),
      recordingText({ ...header, at: start + 5_000_000 }),
      ...rows.slice(5000),
    ]
    const { events } = await played(again)
    expect(events).toEqual([...expected.slice(0, 5), 'Disconnected', ...expected])
  })

  it('names a damaged line by its number in the whole file', async () => {
    const { events, finished } = await played(rows.with(7004, '{"_tag":"Price"\n'))
    expect(events).toEqual([...expected.slice(0, 4), 'DecodeError'])
    expect(finished).toMatchObject({ left: { _tag: 'RecordingError', line: 7006 } })
    const fromStart = await played(rows.with(1, '{"_tag":"Price"\n'), { to: range.to })
    expect(fromStart.finished).toMatchObject({ left: { _tag: 'RecordingError', line: 3 } })
  })

  it('names the line that the disk cannot read by its number in the whole file', async () => {
    const { name, open, file } = openableSource(nodePlatform, newRecording(rows))
    const lineOf = async (position: number): Promise<number> =>
      (await file!.read(0, position)).reduce((lines, byte) => lines + (byte === 10 ? 1 : 0), 1)
    let broken = 0
    async function* chunks(position: number): AsyncGenerator<Uint8Array> {
      if (position === 0) {
        yield* file!.chunks(0)
        return
      }
      yield await file!.read(position, 10_000)
      broken = await lineOf(position + 10_000)
      throw new Error('i/o error')
    }
    const source = new OpenableSource(name, open, { ...file!, chunks })
    const settings = replaySettings({ speed: Infinity, ...range })
    const client = replaySources([source], settings, nodePlatform.publish)
    await collect(summary$(client))
    expect(await client.finished).toMatchObject({ left: { _tag: 'RecordingError', line: broken } })
    expect(broken).toBeGreaterThan(6000)
  })

  it('names the row that another recording also has by its number in the whole file', async () => {
    const [first, second] = [newRecording(rows), newRecording(rows)]
    const client = replay([first, second], { speed: Infinity, ...range })
    expect(await collect(summary$(client))).toEqual(['7001', 'Disconnected', '7001', 'DecodeError'])
    expect(await client.finished).toMatchObject({
      left: { source: first, line: 7003, message: expect.stringMatching(/^line 7003 of /) as unknown },
    })
  })
})
