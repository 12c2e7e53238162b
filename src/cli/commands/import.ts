import type { Command } from 'commander'
import { isLeft } from 'fp-ts/lib/Either.js'
import { readProblems } from '../../backtest/recording/codec/errors.js'
import { createWholeRecording } from '../../backtest/recording/write/recording-file.js'
import type { OwnRow } from '../../backtest/recording/write/own-rows.js'
import { writeFile, type KnownHeader } from '../../backtest/recording/write/write-recording.js'
import { columnName, flagOf, type Field } from '../../backtest/import/columns.js'
import type { CandleInterval } from '../../backtest/import/candles.js'
import { MarketFile, type ReasonCount } from '../../backtest/import/market-file.js'
import type { ImportedToken } from '../../backtest/import/market-row.js'
import { ownRows } from '../../backtest/import/own-rows.js'
import { unitsOf } from '../../backtest/import/values.js'
import { addressOf, isTopicOfAnyService } from '../../base/domain/topic.js'
import { plainDecimal } from '../../base/domain/plain-decimal.js'
import { describeValue, escapeUnsafe, messageOf, printable } from '../../base/errors/text.js'
import { rxClock } from '../../base/time/clock.js'
import { counted, formatLength, formatTime } from '../../view/texts.js'
import { attempt, writeProblem } from '../target/read-file.js'
import type { Io } from '../io.js'
import { writeFailure } from '../render/error-text.js'
import { numberFormat, type NumberFormat } from '../render/terminal.js'
import {
  numberFlag,
  parsedFlag,
  parseInterval,
  textFlag,
  toggle,
  usageError,
  type Values,
} from '../target/parse-flags.js'
import { interrupted } from '../stop.js'
import { findToken, listText, symbolsOf, userTokens } from '../target/select-tokens.js'
import { createTokenNames } from '../target/token-names.js'
import { doubtsOfAll } from './shared/import-doubts.js'
import { defineCommand, many, tokensFlag } from './shared/parts.js'
import { integerOption } from '../../base/option-kinds/number-option.js'

const examples = `
Examples:
  $ npx svc-streams import trades.csv --token 0x82af49447d8a07e3bd95bd0d56f35241523fbab1 --out market.ndjson
      Write a recording of the prices of a file, for replay, sweep and history.
  $ npx svc-streams import klines.csv --time 1 --open 2 --high 3 --low 4 --close 5 --token ETH --tokens tokens.json --out market.ndjson
      Give the columns of a file without a header by number.

Files are CSV, NDJSON or Parquet, plain or gzip, recognised by their content. Each file has one of these kinds of rows:
  trades           a price each
  quotes           bid and ask: the price is the midpoint
  tops of a book   bid and ask with their quantities: also a depth. The ask is bought, the bid is sold
  candles          open, high, low and close: the open at the start and the close at the end, which is that of the column of close
                   times, else the next start, else the usual distance after the start; --interval overrides

Columns and the unit of times are recognised, and printed: check them. Give other columns by name, or without a header by number
from 1. A column of symbols needs --tokens, unless it has addresses or topics. A doubt ends the import unless --yes is given.
Invalid rows are left out and counted.

Exit codes: 0; 1 if no row is valid, --out exists, there is a doubt, or a file cannot be read. Then there is no new file.`

const flags = {
  out: textFlag('--out <file>', 'the new recording; .gz compresses it (required but for --dry-run)'),
  tokens: tokensFlag,
  token: textFlag('--token <token>', 'the token of files without a column of symbols'),
  time: textFlag('--time <column>', 'column of the time, by name or by number from 1'),
  symbol: textFlag('--symbol <column>', 'column of the symbol, address or topic'),
  price: textFlag('--price <column>', 'column of the price'),
  bid: textFlag('--bid <column>', 'column of the best bid'),
  ask: textFlag('--ask <column>', 'column of the best ask'),
  bidQuantity: textFlag('--bid-quantity <column>', 'column of the quantity of the best bid, in tokens'),
  askQuantity: textFlag('--ask-quantity <column>', 'column of the quantity of the best ask, in tokens'),
  open: textFlag('--open <column>', 'column of the first price of a candle'),
  high: textFlag('--high <column>', 'column of its highest price'),
  low: textFlag('--low <column>', 'column of its lowest price'),
  close: textFlag('--close <column>', 'column of its last price'),
  closeTime: textFlag('--close-time <column>', 'column of the end of a candle'),
  interval: parsedFlag(
    '--interval <duration>',
    'length of the candles: 30s, 1m, 1h, 1d, 1mo, …',
    parseInterval,
  ),
  maxRows: numberFlag(
    '--max-rows <n>',
    'most rows that are sorted in memory',
    integerOption({ min: 1, max: 1e9, default: 10_000_000 }),
  ),
  yes: toggle('--yes', 'import the files as they were understood, in spite of doubts'),
  depth: textFlag('--depth <quantity>', 'assume a depth of so many tokens on both sides with each price'),
  dryRun: toggle('--dry-run', 'print what is understood, and write nothing'),
  strict: toggle('--strict', 'fail at the first invalid row'),
}

export const createCommand = defineCommand({
  examples,
  guide: 'strategies/record.md',
  arguments: many('<file...>', 'tables of prices, plain or gzip'),
  flags,
  action: importFiles,
})

async function importFiles(
  io: Io,
  command: Command,
  {
    out,
    token: tokenText,
    interval,
    depth,
    maxRows,
    yes = false,
    dryRun = false,
    strict = false,
    ...columns
  }: Values<typeof flags>,
  files: readonly string[],
): Promise<void> {
  if (out === undefined && !dryRun) return usageError('give --out, or --dry-run')
  const problem = out === undefined ? undefined : writeProblem(out)
  if (problem !== undefined) throw new Error(`--out: ${problem}`)
  if (depth !== undefined && !(/^\d+(?:\.\d+)?$/.test(depth) && Number(depth) > 0))
    return usageError(`--depth: expected a number of tokens above 0, got ${describeValue(depth)}`)
  const resolve = tokenResolver(io, command)
  const token = tokenText === undefined ? undefined : resolve(tokenText)
  if (tokenText !== undefined && token === undefined)
    return usageError(
      `--token: unknown token ${describeValue(tokenText)}; give its address, or define it in --tokens`,
    )
  let stopped = false
  void interrupted(io).then(() => (stopped = true))
  const checkStop = (): void => {
    if (stopped) throw new Error('stopped; no file was written')
  }
  const now = rxClock.wallClock()
  const options = { columns, resolve, token, assumedDepth: depth, interval, strict, maxRows, checkStop, now }
  const market: MarketFile[] = []
  const grouped = numberFormat(io.stdout)
  for (const path of files) {
    const file = await naming(path, MarketFile.open(path, options))
    market.push(file)
    io.stdout.write(escapeUnsafe(fileText(file, interval, grouped)))
  }
  const fileDoubts = market.flatMap((file) => file.doubts)
  if (market.every(({ rows }) => rows === 0))
    throw new Error(['no row is valid', ...fileDoubts.map(printable)].join('; '))
  const known = knownHeader(market, depth, interval)
  io.stdout.write(escapeUnsafe(await sampleText(market, depth)))
  const jointDoubts = doubtsOfAll(market, token !== undefined)
  for (const doubt of jointDoubts) io.stdout.write(escapeUnsafe(`doubt: ${doubt}\n`))
  const doubts = [...fileDoubts, ...jointDoubts]
  if (doubts.length > 0 && !yes)
    throw new Error(
      `${counted(doubts.length, 'doubt')}: ${doubts.map(printable).join('; ')}; --yes imports the files as they were understood`,
    )
  if (out !== undefined && !dryRun) await write(io, out, ownRows(market, depth), checkStop, known, market)
}

/** Names the file in the error of its reading. */
const naming = async <A>(path: string, reading: Promise<A>): Promise<A> => {
  try {
    return await reading
  } catch (thrown) {
    const problem = readProblems[(thrown as NodeJS.ErrnoException).code ?? '']
    if (problem !== undefined) throw new Error(`${printable(path)} ${problem}`, { cause: thrown })
    const text = printable(messageOf(thrown))
    const message = text.includes('unsupported compression') ? `${text}; write it with snappy or gzip` : text
    throw new Error(message.includes(path) ? message : `${printable(path)}: ${message}`, { cause: thrown })
  }
}

const tokensOf = (files: readonly MarketFile[]): readonly ImportedToken[] =>
  files.flatMap(({ series }) => [...series.values()].map(({ token }) => token))

const write = async (
  io: Io,
  out: string,
  rows: AsyncIterable<readonly OwnRow[]>,
  checkStop: () => void,
  known: KnownHeader,
  files: readonly MarketFile[],
): Promise<void> => {
  const tokens = tokensOf(files).flatMap(({ address, decimals }) =>
    decimals === undefined ? [] : [{ address, decimals }],
  )
  const written = await writeFile(() => createWholeRecording(out), rows, tokens, known)
  if (isLeft(written)) {
    checkStop()
    const { cause, row } = written.left
    if (row !== undefined) throw new Error(`nothing was written: ${printable(cause.message)}`)
    throw writeFailure(out, Object.assign(new Error(cause.message), cause))
  }
  io.stdout.write(
    `Wrote ${counted(written.right.rows, 'row', numberFormat(io.stdout))} to ${printable(out)}\n`,
  )
}

const tokenResolver = (io: Io, command: Command): ((symbol: string) => ImportedToken | undefined) => {
  const named = symbolsOf({ ownTokens: [], ...userTokens(command, io.env) })
  const names = createTokenNames(named)
  return (symbol) => {
    if (isTopicOfAnyService(symbol)) {
      const address = addressOf(symbol)
      return { topic: symbol, address, decimals: names.decimals(address) }
    }
    const found = attempt(() => findToken(symbol, named))
    if (isLeft(found)) return undefined
    const { address } = found.right
    return { address, topic: names.topic(address), decimals: names.decimals(address) }
  }
}

/** Throws if an assumed depth needs decimals that are unknown, or is 0 in base-token units. */
const knownHeader = (
  files: readonly MarketFile[],
  assumedDepth: string | undefined,
  interval: CandleInterval | undefined,
): KnownHeader => {
  const tokens = tokensOf(files)
  const unfit = tokens.find(
    ({ decimals }) => decimals === undefined || unitsOf(assumedDepth ?? '1', decimals) === 0n,
  )
  if (assumedDepth !== undefined && unfit !== undefined)
    throw new Error(
      `--depth: ${assumedDepth} is no quantity of ${unfit.topic}, whose decimals are ${unfit.decimals ?? 'unknown; define the token in --tokens'}`,
    )
  const invalidRows = files
    .flatMap(({ invalid }) => [...invalid.values()])
    .reduce((sum, { count }) => sum + count, 0)
  const withDepth =
    assumedDepth === undefined
      ? tokensOf(files.filter(({ layout }) => layout.kind === 'tops of a book'))
      : tokens
  const lengths = new Set(files.flatMap((file) => candleLengths(file, interval)))
  return {
    topics: [...new Set(tokens.map(({ topic }) => topic))],
    mints: [
      ...new Set(withDepth.filter(({ decimals }) => decimals !== undefined).map(({ address }) => address)),
    ],
    ...(assumedDepth === undefined ? {} : { assumedDepth }),
    ...(invalidRows === 0 ? {} : { invalidRows }),
    ...(lengths.size === 0 ? {} : { candles: [...lengths].join(' and ') }),
  }
}

const candleLengths = (
  { layout, series }: MarketFile,
  interval: CandleInterval | undefined,
): readonly string[] => {
  if (layout.kind !== 'candles') return []
  if (interval !== undefined)
    return ['ms' in interval ? formatLength(interval.ms) : counted(interval.months, 'month')]
  const lengths = [...series.values()].map(({ starts: { usual } }) => usual)
  return [
    ...new Set(lengths.map((usual) => (usual === undefined ? 'their close times' : formatLength(usual)))),
  ]
}

const fileText = (file: MarketFile, interval: CandleInterval | undefined, grouped: NumberFormat): string => {
  const { path, table, layout, rows, from, to, series, unknown } = file
  const { invalid, earlierRows, warnings, doubts } = file
  const columns = (Object.entries(layout.columns) as [Field, number][]).map(
    ([field, index]) =>
      `${flagOf(field)} = ${describeValue(columnName(table.names, index))}${field === 'time' ? ` (${layout.unit}${layout.hasZone ? '' : ' without a zone: UTC'})` : ''}`,
  )
  const symbols = [...series].map(([symbol, { token }]) =>
    symbol === '' || symbol === token.topic ? token.topic : `${describeValue(symbol)} = ${token.topic}`,
  )
  const lengths = candleLengths(file, interval)
  return [
    `${printable(path)}: ${table.format}, ${layout.kind}`,
    `  columns: ${columns.join(', ')}`,
    `  tokens: ${symbols.length === 0 ? 'none' : listText(symbols)}`,
    `  valid rows: ${grouped(String(rows))}${rows === 0 ? '' : `, from ${formatTime(from)} to ${formatTime(to)}`}`,
    ...countTexts(invalid, grouped).map((text) => `  invalid rows: ${text}`),
    ...(lengths.length === 0
      ? []
      : [`  length of the candles: ${lengths.join(', ')}; each gives its open and its close`]),
    ...oddTexts(file, grouped),
    ...(earlierRows === 0
      ? []
      : [`  rows earlier than one before them, which are sorted: ${grouped(String(earlierRows))}`]),
    ...countTexts(warnings, grouped).map((text) => `  doubtful rows, which are kept: ${text}`),
    ...doubts.map((text) => `  doubt: ${text}`),
    ...(unknown.size === 0
      ? []
      : [
          `  unknown symbols: ${[...unknown].slice(0, shownSymbols).map(describeValue).join(', ')}; define them in --tokens`,
        ]),
    '',
  ].join('\n')
}

const shownSymbols = 5

/** The candles whose starts have another distance than usual, other than a gap. */
const oddTexts = ({ series }: MarketFile, grouped: NumberFormat): readonly string[] =>
  [...series.values()].flatMap(({ starts: { odd, usual } }) =>
    usual === undefined || odd === 0
      ? []
      : [`  rows at odd distances, not of ${formatLength(usual)}: ${grouped(String(odd))}`],
  )

const countTexts = (counts: ReadonlyMap<string, ReasonCount>, grouped: NumberFormat): readonly string[] =>
  [...counts].map(
    ([reason, { count, line, text }]) =>
      `${reason}: ${grouped(String(count))}, first in line ${line}: ${describeValue(text)}`,
  )

const shownRows = 3

const sampleText = async (files: readonly MarketFile[], depth: string | undefined): Promise<string> => {
  const shown: string[] = []
  for await (const rows of ownRows(files, depth)) {
    shown.push(...rows.slice(0, shownRows - shown.length).map((row) => `  ${rowText(row)}\n`))
    if (shown.length >= shownRows) break
  }
  return `First rows:\n${shown.join('')}`
}

const rowText = (row: OwnRow): string => {
  const { at, price } = row
  const text = `${formatTime(at)}  ${'topic' in row ? row.topic : row.mint}  ${plainDecimal(price)}`
  return 'topic' in row ? text : `${text}  buy ${row.buy}, sell ${row.sell}`
}
