import { Argument, type Command } from 'commander'
import { parseRotation } from '../input/parse-flags.js'
import type { Io } from '../io.js'
import { createCommand, tokensFlag, lazyAction } from './parts.js'

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
  candles          open, high, low and close: four prices each. The open is at the start of the window, the others in its last
                   ms, because they are known only then. The time is the start. The length of a window is the smallest
                   distance of two candles of a token, or --interval

Columns are recognised by their usual names. Give those that are not by name, or without a header by number from 1. The
unit of times (s, ms, µs, ns or ISO 8601, which is UTC without a zone) is recognised by their magnitude. Times are rounded down to
ms. What is understood is printed: check it. A column of symbols needs --tokens, unless it has addresses or topics.

Rows are sorted by time, in bounded memory; those of one ms keep their order. Invalid rows are left out and counted: not a
number, not above 0, no time (of 2000 to 2099), unknown symbol. --depth adds an assumed depth to each price; the recording says
that it is assumed.

Exit codes: 0; 1 if no row is valid, --out exists, a file cannot be read or understood, or with --strict a row is invalid. Then
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
    .option('--interval <duration>', 'length of the candles: 30s, 1m, 1h, …', parseRotation)
    .option('--depth <quantity>', 'assume a depth of so many tokens on both sides with each price')
    .option('--dry-run', 'print what is understood, and write nothing')
    .option('--strict', 'fail at the first invalid row')
    .action(lazyAction(io, async () => (await import('../actions/import.js')).importFiles))
