import { Subscription } from 'rxjs'
import { expect, it } from 'vitest'
import type { PastEvent } from '../../../src/base/domain/past.js'
import { readPast } from '../../../src/backtest/history/past-reading.js'
import { newFile } from '../../cli/support/new-file.js'
import { deferred } from '../../../src/base/task/deferred.js'
import { header, priceRow, recordingText, start, topic } from '../recording/support/recordings.js'
import { startedFiles } from './support/files.js'

it('decodes a chunk of a file only when the promise of `flush` has resolved', async () => {
  const path = newFile('a.ndjson', recordingText(header, priceRow(0, 1), priceRow(1, 2)))
  const events: PastEvent[] = []
  const flushed = deferred<undefined>()
  const called = deferred<undefined>()
  const flush = async (): Promise<void> => {
    called.resolve(undefined)
    await flushed.promise
  }
  const range = { from: start, to: start + 2 }
  const emit = (event: PastEvent) => events.push(event)
  const past = { topic, range, emit, closing: new Subscription(), flush }
  const end = readPast(past, startedFiles([path]))
  await called.promise
  expect(events).toEqual([])
  flushed.resolve(undefined)
  await end
  expect(events.slice(0, 2)).toMatchObject([{ price: 1 }, { price: 2 }])
})
