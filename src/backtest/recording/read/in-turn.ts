import { PriorityQueue } from './priority-queue.js'

/** Items that are read piece by piece, of which the first one is at hand. */
export class PieceReader<T> {
  /** The next item; `undefined` before `fill`, and after the last item of a piece. */
  head: T | undefined
  /** The last head: the order of a source without one. */
  last: T | undefined
  private piece: Iterator<T, unknown> | undefined

  constructor(
    protected pieces?: AsyncIterator<Iterable<T>, unknown>,
    /** Of items of one time, those of the lower index are first. */
    public index = 0,
  ) {}

  /** Resolves to false if there is no further item. */
  async fill(): Promise<boolean> {
    while (this.head === undefined) {
      const next = await this.pieces?.next()
      if (next === undefined || next.done === true) return false
      this.piece = next.value[Symbol.iterator]()
      this.advance()
    }
    return true
  }

  advance(): void {
    const next = this.piece?.next()
    this.head = next?.done === false ? next.value : undefined
    this.last = this.head ?? this.last
  }

  /** Ends the reading, for example to close a file. */
  async close(): Promise<void> {
    await this.pieces?.return?.()
  }
}

/**
 * Merges sources that are each in order, and closes them at its end. Yields generators, which yield the source with the next item
 * as its head, until a source needs its next piece. `compare` is also called for sources without a head. `onEnd`: called for a
 * source without a further item.
 */
export async function* inTurn<S extends PieceReader<unknown>>(
  sources: readonly S[],
  compare: (a: S, b: S) => number,
  onEnd: (source: S) => void = () => undefined,
): AsyncGenerator<Iterable<S>, void> {
  const queue = new PriorityQueue(compare, [...sources])
  try {
    for (let first = queue.peek(); first !== undefined; first = queue.peek()) {
      if (first.head !== undefined) yield turnsOf(queue)
      else if (await first.fill()) queue.sinkFirst()
      else {
        queue.pop()
        onEnd(first)
      }
    }
  } finally {
    for (const source of sources) await source.close()
  }
}

function* turnsOf<S extends PieceReader<unknown>>(queue: PriorityQueue<S>): Generator<S, void> {
  for (let first = queue.peek(); first?.head !== undefined; first = queue.peek()) {
    yield first
    first.advance()
    queue.sinkFirst()
  }
}
