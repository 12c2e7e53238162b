import { map as mapRight, right } from 'fp-ts/lib/Either.js'
import type { Address, ConnectionStatus, Depth } from 'svc-streams'
import { price } from 'svc-streams/testing'
import { expect, test } from 'vitest'
import { drawBoard, type BoardView } from '../../../src/cli/render/draw.js'
import { displayWidth } from '../../../src/cli/render/table.js'
import { coloursFor } from '../../../src/cli/render/terminal.js'
import { disconnected, stale, unauthorized, unsupportedPair } from '../../../src/base/errors/constructors.js'
import { createUpdate, emptyDisplay, type Display, type LogEntry } from '../../../src/view/display.js'
import { createTokenNames } from '../../../src/cli/target/token-names.js'
import type { Row } from '../../../src/backtest/recording/codec/row.js'
import { rowTime, depthFailure, depthRow, priceFailure, priceRow, statusRow } from '../support/rows.js'

const long = '0x82af49447d8a07e3bd95bd0d56f35241523fbab1'
const names = createTokenNames([{ address: '0xaa', symbol: 'ETH', decimals: 2 }])
const context = { colours: coloursFor({}, {}), now: rowTime + 1500 }
const size = { columns: 110, rows: 24 }
const silent = stale(`svc-${long}`, 30_000, undefined)

const update = createUpdate(true)

const emptyBoard = (addresses: readonly Address[], tokenNames = names): Display =>
  emptyDisplay(addresses.map(tokenNames.display))

const rows: readonly Row[] = [
  priceRow('svc-0xaa', 2682.5),
  priceRow('svc-0xaa', 2681.25),
  depthRow('0xaa', 12_345n, 5n),
  priceRow(`svc-${long}`, 0.5),
  priceFailure(`svc-${long}`, silent),
  depthRow(long, 10n ** 19n, 5n),
  depthFailure('0xcc', unauthorized('no')),
  { ...statusRow({ _tag: 'Open', epoch: 2, since: rowTime - 60_000 }), at: rowTime - 60_000 },
]

/** The display after these events, with this event log. */
const boardOf = (tokenNames = names, log: readonly LogEntry[] = []): Display => ({
  ...rows.reduce(update, emptyBoard(['0xaa', long, '0xcc'], tokenNames)),
  log,
})

const board = boardOf()

/** The entries of an event log, the newest first. `texts`: the oldest first. */
const logOf = (...texts: readonly string[]): readonly LogEntry[] =>
  texts.map((text, id) => ({ id, at: rowTime, tone: 'bad', symbols: [], text }) as const).reverse()

const withStatus = (display: Display, status: ConnectionStatus): Display => ({
  ...display,
  connection: { ...display.connection, status },
})

const header = { title: 'A title.', detail: 'A detail.', next: (now: number) => `next at ${now}` }
const view: BoardView = { display: board, hasDepth: true, header: undefined, note: undefined }
const draw = (changes: Partial<BoardView>, columns = size.columns, height = size.rows) =>
  drawBoard({ ...view, ...changes }, context, { columns, rows: height }).map((line) => line.trimEnd())

test('draws one row per token, the event log and the connection status', () => {
  const time = new Date(rowTime)
  const [entry] = logOf('no price for 30000 ms')
  const display = boardOf(names, [{ ...entry!, symbols: ['ETH'] }])
  const clock = time.toLocaleTimeString('en-GB')
  expect(`\n${draw({ display }).join('\n').replace(clock, 'hh:mm:ss')}\n`).toMatchInlineSnapshot(`
    "
    TOKEN          PRICE, USD     CHANGE     AGE  STATE        CAN BUY, USD   QUANTITY   CAN SELL, USD   QUANTITY
    ETH          2,681.2500      -1.2500   1.5 s  live             1,234.50    123.450           67.89   0.050000
    0x82af…bab1      0.500000          –   1.5 s  stale            1,234.50       1e19           67.89   5
    0xcc                    –          –       –  waiting    not authorized          –  not authorized          –
    The service rejects the signature: check --auth-key (SVC_AUTH_KEY).

    hh:mm:ss  ETH: no price for 30000 ms

    ● connected again, up 1 min
    Press Ctrl-C to stop.
    "
  `)
})

test('shows how far behind the prices are, in another colour than those of a connection that is not', () => {
  const open = { _tag: 'Open', epoch: 2, since: rowTime } as const
  const statusLine = (status: ConnectionStatus) => {
    const changed = update(board, statusRow(status))
    const coloured = { ...context, colours: coloursFor({}, { FORCE_COLOR: '1' }) }
    return drawBoard({ ...view, display: changed }, coloured, size).at(-2)
  }
  const behind = statusLine({ ...open, behindMs: 5234 })
  expect(behind).toContain(' connected again, 5.2 s behind, up 1 min')
  const colourOf = (line = '') => line.slice(0, line.indexOf('●'))
  expect(colourOf(behind)).not.toBe(colourOf(statusLine(open)))
})

test('measures ages of a replay from the time of playback', () => {
  const recorded = {
    ...priceRow('svc-0xaa', 1),
    event: right(price('svc-0xaa', 1, { receivedAt: rowTime - 1e9 })),
  }
  const open = statusRow({ _tag: 'Open', epoch: 2, since: rowTime - 1e9 })
  const lines = draw({ display: [recorded, open].reduce(update, emptyBoard(['0xaa'])) })
  expect(lines.join('\n')).toMatch(/ 1\.5 s +live[^]*up 1\.5 s/)
})

test('omits the depth columns without depth, and shows the note', () => {
  expect(`\n${draw({ hasDepth: false, note: 'Depth needs a key.' }).join('\n')}\n`).toMatchInlineSnapshot(`
    "
    TOKEN          PRICE, USD     CHANGE     AGE  STATE
    ETH          2,681.2500      -1.2500   1.5 s  live
    0x82af…bab1      0.500000          –   1.5 s  stale
    0xcc                    –          –       –  waiting
    Depth needs a key.

    ● connected again, up 1 min
    Press Ctrl-C to stop.
    "
  `)
})

test('cuts every line to the width of the terminal', () => {
  const display = boardOf(names, logOf('x'.repeat(500)))
  const down = { _tag: 'Waiting', attempt: 1, retryInMs: 5, reason: 'y'.repeat(500) } as const
  const changes = { display: withStatus(display, down), note: 'z'.repeat(500) }
  for (let columns = 40; columns < 140; columns++) {
    for (const line of draw(changes, columns)) expect(line.length).toBeLessThanOrEqual(columns)
  }
})

test('cuts every line to the width of the terminal, for wide characters in every text', () => {
  const wide = createTokenNames([{ address: '0xaa', symbol: '以太坊🚀'.repeat(10) }])
  const display = boardOf(wide, logOf('服务器错误🚀'.repeat(40)))
  const down = { _tag: 'Waiting', attempt: 1, retryInMs: 5, reason: '连接'.repeat(90) } as const
  const titles = { ...header, title: '标题'.repeat(90) }
  const note = '说明'.repeat(90)
  const changes = { ...view, display: withStatus(display, down), header: titles, note }
  for (let columns = 40; columns < 140; columns++) {
    const lines = drawBoard(changes, context, { columns, rows: 24 })
    for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(columns)
    const shown = lines.findIndex((line) => line.startsWith('TOKEN'))
    expect(new Set(lines.slice(shown, shown + 4).map(displayWidth)).size).toBe(1)
    expect(lines[shown + 1]).toContain('2,681.25')
  }
})

test('counts the tokens that do not fit', () => {
  const tokens = Array.from({ length: 40 }, (_, index) => `0x${index}` as const)
  const lines = draw({ display: emptyBoard(tokens) })
  expect(lines.length).toBeLessThan(size.rows)
  expect(lines.filter((line) => line.startsWith('0x'))).toHaveLength(17)
  expect(lines).toContain('and 23 more that do not fit on the screen')
})

test('colours current values and dims others', () => {
  const colours = coloursFor({ isTTY: true }, {})
  const lines = drawBoard(view, { ...context, colours }, size)
  expect(lines[1]).toContain(colours.live('live     '))
  expect(lines[1]).toContain(colours.falling('  -1.2500'))
  expect(lines[2]).toContain(colours.failed('stale    '))
  expect(lines[2]).toContain(colours.dim('    0.500000'))
  expect(lines[3]).toContain(colours.failed('not authorized'))
})

test('shows the reason of a lost connection, without control characters', () => {
  const reason = 'reset\u001b[2J'
  const status = disconnected({ code: 1006, reason, attempt: 1, retryInMs: 250 })
  const lines = draw({ display: withStatus(board, { ...status, _tag: 'Waiting' }) })
  expect(lines.at(-2)).toBe('● down (reset [2J), next attempt in 250 ms')
})

test('leaves one row free, and shows the first token and the status, on a terminal of any height', () => {
  const log = ['a', 'b', 'c', 'd', 'e']
  for (let height = 4; height < 30; height++) {
    for (const count of [1, 2, 3, 40]) {
      const tokens = Array.from({ length: count }, (_, index) => `0x${index}` as const)
      for (const text of [{}, { header, note: 'Depth needs a key.' }]) {
        for (const events of [[], log.slice(0, 1), log]) {
          const lines = draw(
            { display: { ...emptyBoard(tokens), log: logOf(...events) }, ...text },
            80,
            height,
          )
          expect(lines.length).toBeLessThan(height)
          const shown = lines.filter((line) => line.startsWith('0x')).length
          expect(shown).toBeGreaterThan(0)
          expect(
            lines.some((line) => line === `and ${count - shown} more that do not fit on the screen`),
          ).toBe(shown < count)
          expect(lines.join()).toContain('● idle')
        }
      }
    }
  }
})

test('shows the header above the table, and its detail on a wide terminal', () => {
  const next = `next at ${context.now}`
  expect(draw({ header }).slice(0, 3)).toEqual(['A title. A detail.', next, ''])
  expect(draw({ header }, 17).slice(0, 3)).toEqual(['A title.', `${next.slice(0, 16)}…`, ''])
  expect(draw({ header }).slice(3)).toEqual(draw({}))
})

test('shows no price that is not current without its state, on a terminal of any width', () => {
  const last = priceRow(`svc-${long}`, 0.5)
  const staleBoard = [last, priceFailure(`svc-${long}`, silent)].reduce(update, emptyBoard(['0xaa', long]))
  for (let columns = 1; columns < 60; columns++) {
    const lineOf = (display: Display) =>
      draw({ display, hasDepth: false }, columns).findLast((each) => each.startsWith('0x')) ?? ''
    const line = lineOf(staleBoard)
    if (line.includes('0.500')) expect(line).toContain('stale')
    if (columns >= 26) expect(line).toContain('stale')
    const current = lineOf([last].reduce(update, emptyBoard(['0xaa', long])))
    if (columns >= 40) expect(current).toContain('0.500')
  }
})

test('shows the same columns although one token has a long price, depth or error', () => {
  const tokens = ['0xaa', '0xbb'] as const
  const titlesOf = (events: readonly Row[]) =>
    draw({ display: events.reduce(update, emptyBoard(tokens)) }, 80)[0]
  const titles = titlesOf([priceRow('svc-0xaa', 1)])
  expect(titles).toMatch(/^TOKEN +PRICE, USD +CHANGE +AGE +STATE +CAN BUY, USD +CAN SELL, USD$/)
  for (const price of [1e100, 1e-100, 1.7e308]) {
    expect(titlesOf([priceRow('svc-0xbb', 1), priceRow('svc-0xbb', price)])).toBe(titles)
  }
  expect(titlesOf([depthFailure('0xbb', unsupportedPair('0xbb', '0xcc', ''))])).toBe(titles)
  const { event, ...row } = depthRow('0xbb', 10n ** 400n, 1n)
  const huge = { totalQuantity: 10n ** 400n, totalQuantityUsd: 1e300 }
  expect(titlesOf([{ ...row, event: mapRight((each: Depth) => ({ ...each, buy: huge }))(event) }])).toBe(
    titles,
  )
})

test('shows the last five events', () => {
  const texts = Array.from({ length: 8 }, (_, index) => `event ${index + 1}`)
  const lines = draw({ display: boardOf(names, logOf(...texts)) }).filter((line) => line.includes('event'))
  expect(lines.map((line) => line.slice(-7))).toEqual(texts.slice(3))
})
