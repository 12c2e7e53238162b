import type { Command } from 'commander'
import { isLeft } from 'fp-ts/lib/Either.js'
import { createWholeRecording } from '../../backtest/recording/record/recording-file.js'
import type { OwnRow } from '../../backtest/recording/record/own-rows.js'
import { writeFile, type KnownHeader } from '../../backtest/recording/record/write-recording.js'
import { flagOf, type Field, type GivenColumns } from '../../backtest/import/columns.js'
import { marketRows } from '../../backtest/import/market-rows.js'
import {
  MarketReader,
  type FileReport,
  type ImportedToken,
  type ReasonCount,
} from '../../backtest/import/read-market.js'
import { addressOf, isTopicOfAnyService } from '../../base/domain/topic.js'
import { plainDecimal } from '../../base/domain/plain-decimal.js'
import { describeValue, escapeUnsafe, printable } from '../../base/errors/text.js'
import { counted, countText, formatSeconds } from '../../view/texts.js'
import { writeProblem } from '../input/read-file.js'
import { print, type Io } from '../io.js'
import { writeFailure } from '../output/error-text.js'
import { usageError } from '../run.js'
import { signals } from '../stop.js'
import { findToken, namedTokens, userTokens } from '../tokens/select-tokens.js'
import { createTokenNames } from '../tokens/token-names.js'

interface ImportFlags extends GivenColumns {
  readonly out?: string
  readonly token?: string
  /** In ms. */
  readonly interval?: number
  readonly depth?: string
  readonly dryRun?: boolean
  readonly strict?: boolean
}

/** Writes a recording of the rows of files, sorted. Throws if no row is valid, or a file cannot be read or written. */
export const importFiles = async (
  io: Io,
  command: Command,
  files: readonly string[],
  flags: ImportFlags,
): Promise<void> => {
  const { out, interval, depth, dryRun = false, strict = false } = flags
  if (out === undefined && !dryRun) return usageError(command, 'give --out, or --dry-run')
  const problem = out === undefined ? undefined : writeProblem(out)
  if (problem !== undefined) throw new Error(`--out: ${problem}`)
  if (depth !== undefined && !(/^\d+(?:\.\d+)?$/.test(depth) && Number(depth) > 0))
    return usageError(command, `--depth: expected a number of tokens above 0, got ${describeValue(depth)}`)
  const resolve = tokenResolver(io, command)
  const token = flags.token === undefined ? undefined : resolve(flags.token)
  if (flags.token !== undefined && token === undefined)
    return usageError(
      command,
      `--token: unknown token ${describeValue(flags.token)}; give its address, or define it in --tokens`,
    )
  let stopped = false
  const stop = (): void => void (stopped = true)
  const checkStop = (): void => {
    if (stopped) throw new Error('stopped; no file was written')
  }
  for (const signal of signals) io.on(signal, stop)
  const market = new MarketReader({ columns: flags, resolve, token, interval, strict, checkStop })
  try {
    for (const file of files) await market.read(file)
    await print(escapeUnsafe(market.files.map(fileText).join('')), io.stdout)
    market.finish()
    const known = knownHeader(market, depth)
    const rows = (): Iterable<OwnRow> => marketRows(market.sorter.sorted(), market, depth)
    await print(escapeUnsafe(sampleText(market, rows())), io.stdout)
    if (out !== undefined && !dryRun) await write(io, out, rows(), checkStop, known, market)
  } finally {
    market.sorter.close()
    for (const signal of signals) io.off(signal, stop)
  }
}

const write = async (
  io: Io,
  out: string,
  rows: Iterable<OwnRow>,
  checkStop: () => void,
  known: KnownHeader,
  { series }: MarketReader,
): Promise<void> => {
  const tokens = series.flatMap(({ token: { address, decimals } }) =>
    decimals === undefined ? [] : [{ address, decimals }],
  )
  const written = await writeFile(() => createWholeRecording(out), stoppable(rows, checkStop), tokens, known)
  if (isLeft(written)) {
    checkStop()
    const { cause } = written.left
    throw writeFailure(out, Object.assign(new Error(cause.message), cause))
  }
  io.stdout.write(`Wrote ${counted(written.right.rows, 'row')} to ${printable(out)}\n`)
}

function* stoppable(rows: Iterable<OwnRow>, checkStop: () => void): Generator<OwnRow, void> {
  for (const row of rows) {
    checkStop()
    yield row
  }
}

const tokenResolver = (io: Io, command: Command): ((symbol: string) => ImportedToken | undefined) => {
  const named = namedTokens({ ownTokens: [], knownTokens: [], ...userTokens(command, io.env) })
  const names = createTokenNames(named)
  return (symbol) => {
    if (isTopicOfAnyService(symbol)) {
      const address = addressOf(symbol)
      return { topic: symbol, address, decimals: names.decimals(address) }
    }
    const found = findToken(symbol, named)
    if (isLeft(found)) return undefined
    const { address } = found.right
    return { address, topic: names.topic(address), decimals: names.decimals(address) }
  }
}

/** Throws if an assumed depth needs decimals that are unknown. */
const knownHeader = ({ files, series }: MarketReader, assumedDepth: string | undefined): KnownHeader => {
  const tokens = series.map(({ token }) => token)
  const unknown = tokens.find(({ decimals }) => decimals === undefined)
  if (assumedDepth !== undefined && unknown !== undefined)
    throw new Error(`--depth: the decimals of ${unknown.topic} are unknown; define the token in --tokens`)
  const invalidRows = files
    .flatMap(({ invalid }) => [...invalid.values()])
    .reduce((sum, { count }) => sum + count, 0)
  const topOf = files.filter(({ layout }) => layout.kind === 'tops of a book')
  const withDepth = assumedDepth === undefined ? topOf.flatMap((file) => [...file.tokens.values()]) : tokens
  return {
    topics: [...new Set(tokens.map(({ topic }) => topic))],
    mints: [
      ...new Set(withDepth.filter(({ decimals }) => decimals !== undefined).map(({ address }) => address)),
    ],
    ...(assumedDepth === undefined ? {} : { assumedDepth }),
    ...(invalidRows === 0 ? {} : { invalidRows }),
  }
}

/** What was understood of a file. */
const fileText = (file: FileReport): string => {
  const { path, format, layout, columnNames, rows, from, to, tokens, unknownSymbols } = file
  const { invalid, doubtful, withoutDepth } = file
  const columns = (Object.entries(columnNames) as [Field, string][]).map(
    ([field, name]) =>
      `${flagOf(field)} = ${describeValue(name)}${field === 'time' ? ` (${layout.unit}${layout.hasZone ? '' : ' without a zone: UTC'})` : ''}`,
  )
  const symbols = [...tokens].map(([symbol, { topic }]) =>
    symbol === '' || symbol === topic ? topic : `${describeValue(symbol)} = ${topic}`,
  )
  return [
    `${printable(path)}: ${format}, ${layout.kind}`,
    `  columns: ${columns.join(', ')}`,
    `  tokens: ${symbols.length === 0 ? 'none' : listed(symbols)}`,
    `  valid rows: ${countText(rows)}${rows === 0 ? '' : `, from ${isoText(from)} to ${isoText(to)}`}`,
    ...countTexts(invalid).map((text) => `  invalid rows: ${text}`),
    ...countTexts(doubtful).map((text) => `  doubtful rows, which are kept: ${text}`),
    ...(unknownSymbols.length === 0
      ? []
      : [`  unknown symbols: ${unknownSymbols.map(describeValue).join(', ')}; define them in --tokens`]),
    ...(withoutDepth === undefined
      ? []
      : [
          `  rows without a depth: ${countText(withoutDepth.count)}, first in line ${withoutDepth.line}: a quantity is no number, or --tokens has no decimals`,
        ]),
    '',
  ].join('\n')
}

const countTexts = (counts: ReadonlyMap<string, ReasonCount>): readonly string[] =>
  [...counts].map(
    ([reason, { count, line, text }]) =>
      `${reason}: ${countText(count)}, first in line ${line}: ${describeValue(text)}`,
  )

const maxListed = 20

const listed = (texts: readonly string[]): string =>
  texts.length <= maxListed
    ? texts.join(', ')
    : `${texts.slice(0, maxListed).join(', ')}, and ${countText(texts.length - maxListed)} more`

const isoText = (at: number): string => new Date(at).toISOString()

/** The rows by which a distance is measured, and those that are shown. */
const measuredRows = 10_000
const shownRows = 3

/** The first rows, and the median distance of two prices of a token. */
const sampleText = ({ files, series }: MarketReader, rows: Iterable<OwnRow>): string => {
  const shown: string[] = []
  const lastAt = new Map<string, number>()
  const distances: number[] = []
  let count = 0
  for (const row of rows) {
    if (shown.length < shownRows) shown.push(`  ${rowText(row)}`)
    if (++count > measuredRows) break
    if (!('topic' in row)) continue
    const last = lastAt.get(row.topic)
    if (last !== undefined) distances.push(row.at - last)
    lastAt.set(row.topic, row.at)
  }
  const median = distances.sort((a, b) => a - b)[Math.floor(distances.length / 2)]
  const lengths = [...new Set(series.map(({ interval }) => interval))].filter(Number.isFinite)
  return [
    ...(files.every(({ layout }) => layout.kind === 'candles')
      ? []
      : [`Median distance of the prices of a token: ${median === undefined ? '-' : durationText(median)}`]),
    ...(lengths.length === 0 ? [] : [`Length of the candles: ${lengths.map(durationText).join(', ')}`]),
    'First rows:',
    ...shown,
    '',
  ].join('\n')
}

const rowText = (row: OwnRow): string => {
  const { at, price } = row
  const text = `${isoText(at)}  ${'topic' in row ? row.topic : row.mint}  ${plainDecimal(price)}`
  return 'topic' in row ? text : `${text}  buy ${row.buy}, sell ${row.sell}`
}

const durationText = (ms: number): string =>
  ms < 1000 ? `${ms} ms` : ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : formatSeconds(ms)
