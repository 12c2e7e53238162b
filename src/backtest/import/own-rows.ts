import type { OwnRow } from '../recording/write/own-rows.js'
import type { MarketFile } from './market-file.js'
import { compareTicks, type Tick } from './market-row.js'
import { unitsOf } from './values.js'
import { PriorityQueue } from '../recording/read/priority-queue.js'

/**
 * The rows of a recording, in order, piece by piece: those of all files, merged by time. `assumedDepth`: the quantity of both
 * sides of a depth with each price, in tokens, as decimal text.
 */
export async function* ownRows(
  files: readonly MarketFile[],
  assumedDepth: string | undefined,
): AsyncGenerator<readonly OwnRow[]> {
  const queue = new PriorityQueue<FileTicks>((a, b) => compareTicks(a.first, b.first) || a.index - b.index)
  const all = files.map((file, index) => new FileTicks(file.ticks()[Symbol.asyncIterator](), index))
  try {
    for (const each of all) if (await each.fill()) queue.push(each)
    for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
      const rows: OwnRow[] = []
      const other = queue.peek()
      // Files often follow each other: the prices of one up to the first one of another need no queue.
      while (!next.isEmpty && !(other !== undefined && isAfter(next, other)))
        rows.push(...rowsOf(next.take(), assumedDepth))
      yield rows
      if (!next.isEmpty || (await next.fill())) queue.push(next)
    }
  } finally {
    for (const { pieces } of all) await pieces.return?.()
  }
}

const isAfter = (one: FileTicks, other: FileTicks): boolean => {
  const order = compareTicks(one.first, other.first)
  return order > 0 || (order === 0 && one.index > other.index)
}

/** The prices of a file that are not merged yet. */
class FileTicks {
  private ticks: readonly Tick[] = []
  private next = 0

  constructor(
    readonly pieces: AsyncIterator<readonly Tick[]>,
    readonly index: number,
  ) {}

  get isEmpty(): boolean {
    return this.next >= this.ticks.length
  }

  /** Of a piece that is not empty. */
  get first(): Tick {
    const tick = this.ticks[this.next]
    if (tick === undefined) throw new Error('the piece has no price any more')
    return tick
  }

  take(): Tick {
    const { first } = this
    this.next++
    return first
  }

  /** False at the end. */
  async fill(): Promise<boolean> {
    while (this.isEmpty) {
      const piece = await this.pieces.next()
      if (piece.done === true) return false
      this.ticks = piece.value
      this.next = 0
    }
    return true
  }
}

/** A price, after its depth if there is one: an order that the price fills needs a depth that is not older. */
const rowsOf = (
  { at, price, depth, token: { topic, address: mint, decimals } }: Tick,
  assumedDepth: string | undefined,
): readonly OwnRow[] => {
  const row = { at, topic, price }
  if (assumedDepth !== undefined) {
    const quantity = unitsOf(assumedDepth, decimals ?? 0) ?? 0n
    return [{ at, mint, price, buy: quantity, sell: quantity }, row]
  }
  return depth === undefined ? [row] : [{ at, mint, price, ...depth }, row]
}
