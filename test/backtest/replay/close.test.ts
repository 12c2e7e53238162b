import { PassThrough } from 'node:stream'
import { filter, firstValueFrom, lastValueFrom } from 'rxjs'
import { replay } from 'svc-streams/recording'
import { describe, expect, it, vi } from 'vitest'
import {
  collect,
  header,
  priceRow,
  recordingText,
  replayAtOnce,
  summary$,
  topic,
} from '../recording/support/recordings.js'
import { playedRows } from '../recording/support/rows.js'

describe('close() of a replay', () => {
  it('completes all streams and ends the source', async () => {
    let returned = false
    async function* endless() {
      try {
        yield recordingText(header)
        for (let ms = 1; ; ms++) yield await Promise.resolve(recordingText(priceRow(ms, ms)))
      } finally {
        returned = true
      }
    }
    const client = replay(endless(), { speed: Infinity })
    const completion = lastValueFrom(summary$(client))
    await firstValueFrom(summary$(client).pipe(filter((event) => event === '100')))
    await client.close()
    await completion
    await client.finished
    await vi.waitFor(() => expect(returned).toBe(true))
    expect(await collect(client.price$(topic))).toMatchObject([{ left: { _tag: 'ClientClosed' } }])
  })

  it('destroys a Node stream without data', async () => {
    const source = new PassThrough()
    source.write(recordingText(header, priceRow(1, 1)))
    const client = replay(source, { speed: Infinity })
    const events = collect(summary$(client))
    await firstValueFrom(summary$(client))
    await client.close()
    expect(source.destroyed).toBe(true)
    expect(await events).toEqual(['1'])
    expect(await client.finished).toEqual(playedRows(1))
  })

  it('counts the row during which it is closed', async () => {
    const client = replayAtOnce(priceRow(1, 1), priceRow(2, 2), priceRow(3, 3))
    client.price$(topic).subscribe((event) => {
      if (event._tag === 'Right' && event.right.price === 2) void client.close()
    })
    expect(await client.finished).toEqual(playedRows(2))
  })
})
