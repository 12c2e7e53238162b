import { Argument, type Command } from 'commander'
import { integerOption } from '../../base/option-kinds/number-option.js'
import { numberFlag, parseInterval } from '../target/parse-flags.js'
import type { Io } from '../io.js'
import { createCommand, tokensFlag, lazyAction } from './shared/parts.js'

const maxRowsOption = integerOption({ min: 1, max: 1e9, default: 10_000_000 })

const importExamples = `
Examples:
  $ npx svc-streams import trades.csv --token 0x82af49447d8a07e3bd95bd0d56f35241523fbab1 --out market.ndjson
      Write a recording of the prices of a file, for replay, sweep and history.
  $ npx svc-streams import trades.csv.gz --token ETH --tokens tokens.json --dry-run
      Print what is understood of the file, and the first rows. Write nothing.
  $ npx svc-streams import 2025-*.parquet --tokens tokens.json --out market.ndjson.gz
      Join several files of several tokens. The symbols in the files are those of tokens.json.
  $ npx svc-streams import klines.csv --time 1 --open 2 --high 3 --low 4 --close 5 --token ETH --tokens tokens.json --out market.ndjson
      Give the columns of a file without a header by number.

Files are CSV, NDJSON or Parquet, plain or gzip, recognised by their content. Each file has one of these kinds of rows:
  trades           a price each
  quotes           bid and ask: the price is the midpoint
  tops of a book   bid and ask with their quantities: also a depth. The ask is bought, the bid is sold
  candles          open, high, low and close: two prices each, the open at the start and the close at the end. The high and the
                   low are checked and left out, because their times are not known. The time is the start. The end is that of
                   the column of close times, else the next start, else the usual distance of two starts after the start;
                   --interval overrides

Columns are recognised by their usual names. Give those that are not by name, or without a header by number from 1. The
unit of times (s, ms, µs, ns or ISO 8601, which is UTC without a zone) is recognised by their magnitude. Times are rounded down to
ms. What is understood is printed: check it. A column of symbols needs --tokens, unless it has addresses or topics. A doubt,
such as times of the future, different candles of one start, or a column that may name the token of a row, ends the import
unless --yes is given. Changes of a book are no trades, and are refused.

Files that are each in order are merged by time, in bounded memory. The rows of other files are sorted in memory, up to
--max-rows. Rows of one ms keep their order, and of equal times the close of a candle comes first. Invalid rows are left out and
counted: not a number, not above 0, no time (of 2000 to 2099), unknown symbol. --depth adds an assumed depth to each price; the
recording says that it is assumed, and that its prices are those of candles.

Exit codes: 0; 1 if no row is valid, --out exists, there is a doubt, a file cannot be read or understood, or with --strict a row is invalid. Then
there is no new file.`

export const importCommand = (io: Io): Command =>
  createCommand(io, 'import', 'Write a recording of prices from CSV, NDJSON or Parquet.', importExamples)
    .addArgument(new Argument('<file...>', 'tables of prices, plain or gzip'))
    .option('--out <file>', 'the new recording; .gz compresses it (required but for --dry-run)')
    .addOption(tokensFlag())
    .option('--token <token>', 'the token of files without a column of symbols')
    .option('--time <column>', 'column of the time, by name or by number from 1')
    .option('--symbol <column>', 'column of the symbol, address or topic')
    .option('--price <column>', 'column of the price')
    .option('--bid <column>', 'column of the best bid')
    .option('--ask <column>', 'column of the best ask')
    .option('--bid-quantity <column>', 'column of the quantity of the best bid, in tokens')
    .option('--ask-quantity <column>', 'column of the quantity of the best ask, in tokens')
    .option('--open <column>', 'column of the first price of a candle')
    .option('--high <column>', 'column of its highest price')
    .option('--low <column>', 'column of its lowest price')
    .option('--close <column>', 'column of its last price')
    .option('--close-time <column>', 'column of the end of a candle')
    .option('--interval <duration>', 'length of the candles: 30s, 1m, 1h, 1d, 1mo, …', parseInterval)
    .addOption(numberFlag('--max-rows <n>', 'most rows that are sorted in memory', maxRowsOption))
    .option('--yes', 'import the files as they were understood, in spite of doubts')
    .option('--depth <quantity>', 'assume a depth of so many tokens on both sides with each price')
    .option('--dry-run', 'print what is understood, and write nothing')
    .option('--strict', 'fail at the first invalid row')
    .action(lazyAction(io, async () => (await import('../actions/import.js')).importFiles))
