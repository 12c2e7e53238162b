import { replay } from 'svc-streams/recording'
import { describe, expect, it } from 'vitest'
import type { Row } from '../../../src/recording/format/row.js'
import { collect, header, priceRow, recordingText, start, summary$, topic } from '../support/recordings.js'
import { rowsOf } from '../support/rows.js'

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
    for (const written of [text, text.replaceAll('":', '": ').replaceAll('{"', '{ "')]) {
      const client = replay([written], { speed: Infinity })
      expect(await collect(summary$(client))).toEqual(['1', '2'])
    }
  })

  it('continues after a recording whose client was closed', async () => {
    const closed: readonly Row[] = [
      { _tag: 'Status', at: start + 2, status: { _tag: 'Closed' } },
      { _tag: 'End', at: start + 2, of: topic },
    ]
    const secondHeader = { ...header, at: start + 10 } as const
    const client = replay(
      [recordingText(header, priceRow(1, 1), ...closed, secondHeader, priceRow(11, 2), ...closed)],
      {
        speed: Infinity,
      },
    )
    expect(await collect(summary$(client))).toEqual(['1', '2'])
    expect(await client.finished).toEqual(rowsOf(6))
  })
})
