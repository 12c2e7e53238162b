import { always, eventually, now } from '@antithesishq/bombadil'
import { actions, extract } from '@antithesishq/bombadil/terminal'

// What holds on the board of `bombadil.long.test.ts`, whatever is typed, and of whatever size the terminal becomes. Bombadil bundles
// and runs this file.

/** The market fails for longer than this time. A busy machine may draw the board late. In ms. */
const oldest = 5_000

const board = extract(({ grid, exitStatus }) => {
  const rows: string[] = []
  for (let row = 0; row < grid.size.rows; row++) rows.push(grid.rowText(row))
  // A price is the time at which it was sent, in s within a day.
  const liveAges = rows.flatMap((row) => {
    const [, price] = /^(?:ETH|BTC) +([\d,]+\.\d+) .*\blive\b/.exec(row) ?? []
    return price === undefined ? [] : [(Date.now() % 86_400_000) - Number(price.replaceAll(',', '')) * 1000]
  })
  const tokenRows = rows.filter((row) => /^ETH\b/.test(row)).length
  return { liveAges, tokenRows, hasEnded: exitStatus !== null, text: rows.join('\n').trimEnd() }
})

export const input = actions(() => [
  { TypeText: { Text: [1, 20] } },
  { TypeText: { Regexp: '[\r\n]{1,8}' } },
  { Resize: { columns: [20, 200], rows: [5, 60] } },
  { Click: { row: [0, 60], column: [0, 200] } },
  { ScrollUp: {} },
  { ScrollDown: {} },
])

export const runsOn = always(() => !board.current.hasEnded)

export const noOldPriceIsLive = always(() => board.current.liveAges.every((age) => age < oldest))

// A terminal wraps and moves the rows when its size changes, until the board is drawn again.
export const nothingIsLeftBehind = always(
  now(() => board.current.tokenRows > 1).implies(
    eventually(() => board.current.tokenRows === 1).within(2, 'seconds'),
  ),
)

export const showsEachToken = eventually(() => board.current.tokenRows === 1).within(30, 'seconds')
