import { left } from 'fp-ts/lib/Either.js'
import { expect, it, vi } from 'vitest'
import { priceRow$, RowTimes } from '../../../../src/backtest/recording/write/client-rows.js'
import type { Row } from '../../../../src/backtest/recording/codec/row.js'
import { timeOfEvent } from '../../../../src/base/time/event-time.js'
import { a, createScriptedClient, marbles } from '../../../support/time/marbles.js'
import { server } from '../../../support/time/scripted-socket.js'

it('a row of a price has its own position, and a row of an error has none', () => {
  marbles(({ cold, hot, flush }) => {
    const script = { o: server.opens, A: server.confirms(a), '1': server.prices(a, 1), x: server.closes() }
    const { client } = createScriptedClient(cold('oA11x', script))
    const rows: Row[] = []
    priceRow$(client, a).subscribe((row) => rows.push(row))
    hot('------c').subscribe(() => void client.close())
    flush()
    const run: unknown = expect.any(String)
    expect(rows.slice(0, 3).map((row) => 'position' in row && row.position)).toEqual([
      { run, count: 1 },
      { run, count: 2 },
      false,
    ])
  })
})

it('the time of a Left is that of later operators in its turn, although the clock goes on meanwhile', () => {
  const times = new RowTimes()
  let now = Date.now()
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => ++now)
  const event = left('lost')
  const at = times.of(event)
  expect(timeOfEvent(event, Date.now())).toBe(at)
  clock.mockRestore()
})
