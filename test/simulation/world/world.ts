import { seededRandom, type Random } from '../../../src/simulator/market/seeded-random.js'
import { PriorityQueue } from '../../../src/backtest/recording/read/priority-queue.js'

/** What happens at one time. `run` returns a promise if it runs code of the library, whose promises must settle. */
interface WorldEvent {
  readonly at: number
  /** Events of the same time happen in this order. */
  readonly order: number
  readonly run: () => void | Promise<void>
}

/**
 * Time, order and chance of one simulation. Nothing in it depends on the real time: two worlds with the same seed, to which
 * the same is done, have the same trace.
 */
export class World {
  /** In ms since the start. An integer. */
  now = 0
  /** The number of events so far. */
  events = 0
  readonly random: Random
  private readonly queue = new PriorityQueue<WorldEvent>((a, b) => a.at - b.at || a.order - b.order)
  private lastOrder = 0
  private isStopped = false

  /**
   * `lines`: receives the trace, one line per event; `undefined`: no trace is written. `hasEvenDraws`: whatever the library
   * draws is 1/2, so that each wait with jitter has a known length.
   */
  constructor(
    seed: string,
    private readonly lines: string[] | undefined,
    readonly hasEvenDraws = false,
  ) {
    this.random = seededRandom(seed)
  }

  /** A random number for the library. */
  draw(): number {
    return this.hasEvenDraws ? 0.5 : this.random()
  }

  /** Calls back at a time; at once after the current event if it has passed. */
  at(at: number, run: WorldEvent['run']): void {
    this.queue.push({ at: Math.max(this.now, Math.ceil(at)), order: this.lastOrder++, run })
  }

  /** Runs all events until a time, in ms. Ends early after `stop`. */
  async runUntil(end: number): Promise<void> {
    for (
      let next = this.queue.peek();
      next !== undefined && next.at <= end && !this.isStopped;
      next = this.queue.peek()
    ) {
      this.queue.pop()
      this.now = next.at
      this.events++
      const settled = next.run()
      if (settled !== undefined) await settled
    }
    if (!this.isStopped) this.now = end
  }

  stop(): void {
    this.isStopped = true
  }

  /** Writes a line of the trace. `text`: called only if there is a trace. */
  trace(who: string, text: () => string): void {
    this.lines?.push(`${formatTime(this.now)} ${who.padEnd(9)} ${text()}`)
  }

  /** A random integer from `min` to `max`, both included. */
  between(min: number, max: number): number {
    return min + Math.floor(this.random() * (max - min + 1))
  }
}

/** Minutes, seconds and ms, as `03:15.250`. */
export const formatTime = (ms: number): string => {
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${two(Math.floor(ms / 60_000))}:${two(Math.floor(ms / 1000) % 60)}.${String(ms % 1000).padStart(3, '0')}`
}
