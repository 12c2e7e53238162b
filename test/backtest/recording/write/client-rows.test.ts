import { expect, it } from 'vitest'
import { priceRow$ } from '../../../../src/backtest/recording/write/client-rows.js'
import type { Row } from '../../../../src/backtest/recording/codec/row.js'
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
