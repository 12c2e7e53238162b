import { firstValueFrom } from 'rxjs'
import { replay } from 'svc-streams/recording'
import { describe, expect, it } from 'vitest'
import type { Row } from '../../../src/backtest/recording/codec/row.js'
import {
  chunksOf,
  collect,
  header,
  priceRow,
  recordingText,
  start,
  prices$,
  summary$,
  topic,
} from '../recording/support/recordings.js'
import { playedRows } from '../recording/support/rows.js'

describe('the replay of concatenated recordings', () => {
  it('emits the rows of all recordings, whatever the whitespace of a header', async () => {
    const secondHeader = { ...header, at: start + 10, topics: [topic, 'svc-0xee'] } as const
    const text = recordingText(
      header,
      priceRow(1, 1),
      secondHeader,
      priceRow(11, 2),
      priceRow(12, 3, 'svc-0xee'),
    )
    const withTagLast = text.replaceAll(/"_tag":"Recording",(.*)}/g, '$1,"_tag":"Recording"}')
    for (const written of [text, text.replaceAll('":', '": ').replaceAll('{"', '{ "'), withTagLast]) {
      const client = replay(chunksOf(written), { speed: Infinity })
      expect(await collect(prices$(client))).toEqual([1, 2])
    }
  })

  it('pauses before a later recording while there are no subscribers', async () => {
    const secondHeader = { ...header, at: start + 400 } as const
    const client = replay(chunksOf(recordingText(header, priceRow(0, 1), secondHeader, priceRow(401, 2))))
    expect(await firstValueFrom(summary$(client))).toBe('1')
    const otherReplay = replay(chunksOf(recordingText(header, priceRow(0, 1), priceRow(500, 2))))
    await collect(summary$(otherReplay))
    const startedAt = performance.now()
    expect(await collect(prices$(client))).toEqual([1, 2])
    // Less than the 400 ms: on a busy machine, some have passed between the first row and the pause.
    expect(performance.now() - startedAt).toBeGreaterThan(200)
  })

  it('names the line of a later header of another version', async () => {
    const second = recordingText(header).replace('"version":1', '"version":2')
    const client = replay(chunksOf(recordingText(header, priceRow(1, 1)) + second), { speed: Infinity })
    expect(await collect(summary$(client))).toEqual(['1', 'DecodeError'])
    expect(await client.finished).toMatchObject({
      left: { line: 3, message: expect.stringMatching(/version: expected 1, got 2/) as string },
    })
  })

  it('continues after a recording whose client was closed', async () => {
    const closed: readonly Row[] = [
      { _tag: 'Status', at: start + 2, status: { _tag: 'Closed' } },
      { _tag: 'End', at: start + 2, of: topic },
    ]
    const secondHeader = { ...header, at: start + 10 } as const
    const client = replay(
      chunksOf(recordingText(header, priceRow(1, 1), ...closed, secondHeader, priceRow(11, 2), ...closed)),
      {
        speed: Infinity,
      },
    )
    expect(await collect(prices$(client))).toEqual([1, 2])
    expect(await client.finished).toEqual(playedRows(6))
  })
})
