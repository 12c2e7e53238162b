import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { Subject } from 'rxjs'
import { createClient, type Price, type Topic } from 'svc-streams'
import { createTestClient, price } from 'svc-streams/testing'
import { expect, it, onTestFinished, vi } from 'vitest'
import { encodeRow } from '../../../src/backtest/recording/codec/row-codec.js'
import { createHeader } from '../../../src/backtest/recording/codec/row.js'
import { TopicPast } from '../../../src/backtest/recording/summary/topic-past.js'
import { maxReadings } from '../../../src/gateway/history/readings.js'
import { chunkBytes } from '../../../src/backtest/recording/read/node-platform.js'
import { closeAfterTest } from '../../support/close-after-test.js'
import { collectEvents } from '../../support/collect-events.js'
import { newFolder } from '../../support/new-folder.js'
import { nextTurn } from '../../support/time/event-loop.js'
import { eventually } from '../../support/time/eventually.js'
import { startTestGateway } from '../support/start-test-gateway.js'

const recorded: Topic = 'svc-0xaa'
const live: Topic = 'svc-0xbb'
const start = Date.parse('2026-11-21T10:00:00Z')

const rowBytes = 240

const rowText = (ms: number): string =>
  `${encodeRow({
    _tag: 'Price',
    at: start + ms,
    topic: recorded,
    event: { _tag: 'Right', right: price(recorded, 1 + ms) },
  }).padEnd(rowBytes - 1)}\n`

/** A folder with the history of an hour, of about 5 MB. */
const folderWithHistory = (): string => {
  const folder = newFolder()
  const rows = Array.from({ length: 20_000 }, (_, index) => rowText(index))
  const text = `${encodeRow(createHeader(start, [recorded]))}\n${rows.join('')}`
  writeFileSync(join(folder, `${recorded}.2026-11-21T10-00-00Z.ndjson`), text)
  return folder
}

/** Requests the history. The socket reads only when its `read` is called. */
const startReader = (url: string): Socket => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined)
  socket.write(`GET /history/${recorded}?from=0 HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  return socket
}

it('delivers live prices as quickly while as many consumers as possible hardly read the history', async () => {
  const onLine = vi.spyOn(TopicPast.prototype, 'onLine')
  onTestFinished(() => onLine.mockRestore())
  const rowsSoFar = (): number => onLine.mock.calls.length
  const prices = new Subject<Price>()
  const gateway = await startTestGateway(createTestClient({ prices: { [live]: prices } }), {
    history: { folder: folderWithHistory(), keep: Infinity },
  })
  const consumer = closeAfterTest(createClient({ environment: 'mainnet', ...gateway }))
  const { values } = collectEvents(consumer.price$(live))
  await eventually(() => prices.observed)

  /** Sends prices one after the other. Counts the turns of the event loop until each arrives, and the rows that are read. */
  const measure = async (beforeEach: () => void) => {
    let turns = 0
    let mostRowsInTurn = 0
    const rowsBefore = rowsSoFar()
    for (let count = 0; count < 200; count++) {
      beforeEach()
      const before = values().length
      prices.next(price(live, 1 + before))
      while (values().length === before) {
        const rows = rowsSoFar()
        await nextTurn()
        turns++
        mostRowsInTurn = Math.max(mostRowsInTurn, rowsSoFar() - rows)
      }
    }
    return { turns, mostRowsInTurn, rows: rowsSoFar() - rowsBefore }
  }

  prices.next(price(live, 0.5))
  await eventually(() => values().length === 1)
  const control = await measure(() => undefined)
  const readers = Array.from({ length: maxReadings }, () => startReader(gateway.baseUrl))
  await Promise.all(readers.map((socket) => once(socket, 'readable')))
  const measured = await measure(() => readers.forEach((socket) => void socket.read()))
  expect(readers.filter(({ destroyed }) => destroyed)).toEqual([])
  const rowsOfChunk = Math.ceil(chunkBytes / rowBytes) + 1
  expect(measured.rows).toBeGreaterThan(maxReadings * rowsOfChunk)
  expect(measured.mostRowsInTurn).toBeLessThanOrEqual(rowsOfChunk)
  expect(measured.turns).toBeLessThan(2 * control.turns)
})
