import { Argument, type Command } from 'commander'
import type { ExportFlags } from '../actions/export.js'
import type { Io } from '../io.js'
import { createCommand } from './parts.js'

const examples = `
Examples:
  $ svc-streams export market.ndjson --out market.parquet
      Write market.prices.parquet, market.depths.parquet and market.events.parquet.
  $ svc-streams export market.*.ndjson.gz --out night.parquet
      Export several files as one recording.
  $ duckdb -c "SELECT topic, count(*), max(price) FROM 'market.prices.parquet' GROUP BY ALL"
      Query a table. Python reads it with pandas.read_parquet.

The tables:
  prices  at, topic, price (USD), received_at, epoch
  depths  at, mint, price (USD), timestamp, buy_quantity, buy_usd, sell_quantity, sell_usd, received_at
  events  at, kind (of the row), stream (topic or mint), tag (of the error or the status), message, row (as JSON)

Times are UTC, in ms. Quantities are in base-token units and exact: DECIMAL(38, 0), or text in all rows if one has more
digits. A table without a row is written too. Existing files are not overwritten. Memory does not grow with the recording.

If the recording is truncated or damaged, the rows before the damage are exported, and the command fails.

Exit codes: 0 if all rows were exported, 1 otherwise.`

export const exportCommand = (io: Io): Command =>
  createCommand(io, 'export', 'Write a recording as Parquet.', examples)
    .addArgument(new Argument('<file...>', 'recordings, plain or gzip, in the order of their times'))
    .requiredOption('--out <file>', 'name of the tables, such as market.parquet')
    .action(async (files: readonly string[], flags: ExportFlags, command: Command) => {
      const { exportRecordings } = await import('../actions/export.js')
      await exportRecordings(io, command, files, flags)
    })
