import { inTurn, PieceReader } from '../recording/read/in-turn.js'
import type { OwnRow } from '../recording/write/own-rows.js'
import type { MarketFile } from './market-file.js'
import { compareTicks, type Tick } from './market-row.js'
import { unitsOf } from './values.js'

/** The rows of all files, merged by time. `assumedDepth`: the quantity of both sides of a depth with each price, in tokens, as text. */
export async function* ownRows(
  files: readonly MarketFile[],
  assumedDepth: string | undefined,
): AsyncGenerator<readonly OwnRow[]> {
  const readers = files.map((file, index) => new PieceReader(file.ticks(), index))
  for await (const turns of inTurn(readers, inOrder)) {
    const rows: OwnRow[] = []
    for (const { head } of turns) if (head !== undefined) rows.push(...rowsOf(head, assumedDepth))
    yield rows
  }
}

/** A file of which nothing has been read is first. */
const inOrder = (a: PieceReader<Tick>, b: PieceReader<Tick>): number =>
  a.last === undefined || b.last === undefined
    ? Number(a.last !== undefined) - Number(b.last !== undefined)
    : compareTicks(a.last, b.last) || a.index - b.index

/** A price, after its depth if there is one: an order that the price fills needs a depth that is not older. */
const rowsOf = (
  { at, price, depth, token: { topic, address: mint, decimals } }: Tick,
  assumedDepth: string | undefined,
): readonly OwnRow[] => {
  const row = { at, topic, price }
  const assumed = assumedDepth === undefined ? undefined : unitsOf(assumedDepth, decimals ?? 0)
  const quantities = assumed === undefined ? depth : { buy: assumed, sell: assumed }
  return quantities === undefined ? [row] : [{ at, mint, price, ...quantities }, row]
}
