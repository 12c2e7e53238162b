import { Subscription } from 'rxjs'
import type { Clock } from '../../base/time/clock.js'
import { macrotasks } from '../../base/time/macrotask.js'
import { RequestQueue, type Place, type Requester } from '../coalescing/request-queue.js'

/** Number of readings at the same time. Each has an open file, and memory for a chunk of it. */
export const maxReadings = 32

/** Time that a consumer may take to read a chunk without being slow, in ms. */
const usualHold = 100

/**
 * The readings of a history. They take turns like depth requests: in each turn of the event loop, one reading reads one
 * chunk of a file, so that no live price waits for more than a chunk.
 *
 * If there are too many readings, a new one ends the one that makes the least progress: the one whose consumer has read
 * nothing for the longest time, or else the youngest of the addresses with the most readings.
 */
export class Readings {
  private readonly queue = new RequestQueue({
    maxWaiting: Infinity,
    whenSendable: (onTurn) => macrotasks()(onTurn),
  })
  private readonly readings = new Set<Reading>()

  constructor(private readonly clock: Pick<Clock, 'elapsed'>) {}

  /** `onEvicted`: the reading ends before its end, to make room. */
  start(requester: Requester, onEvicted: () => void): Reading {
    const { queue, readings, clock } = this
    if (readings.size >= maxReadings) this.slowest()?.evict()
    const place = queue.enter(requester, () => undefined)
    const reading = new Reading(place, queue, clock, onEvicted)
    readings.add(reading)
    reading.closing.add(() => readings.delete(reading))
    return reading
  }

  private slowest(): Reading | undefined {
    let slowest: Reading | undefined
    for (const each of this.readings) if (slowest === undefined || isSlower(each, slowest)) slowest = each
    return slowest
  }
}

const isSlower = (a: Reading, b: Reading): boolean =>
  a.heldForMs === b.heldForMs ? a.groupSize >= b.groupSize : a.heldForMs > b.heldForMs

/** One reading, from its request to its end. */
export class Reading {
  /** Ends the reading. */
  readonly closing = new Subscription()
  /** Since when it waits for its consumer: monotonic, in ms; `Infinity` while it does not. */
  private heldSince = Infinity

  constructor(
    private readonly place: Place,
    private readonly queue: RequestQueue,
    private readonly clock: Pick<Clock, 'elapsed'>,
    private readonly onEvicted: () => void,
  ) {
    this.closing.add(() => queue.leave(place))
  }

  /** The time for which a slow consumer has read nothing, in ms; 0 for a consumer that is not slow. */
  get heldForMs(): number {
    const heldFor = this.clock.elapsed() - this.heldSince
    return heldFor > usualHold ? heldFor : 0
  }

  /** The number of readings of its group. */
  get groupSize(): number {
    return this.place.consumer.group.size
  }

  /** Resolves in the turn of the reading, or at its end. */
  async turn(): Promise<void> {
    const { place, queue, closing } = this
    if (closing.closed) return
    await new Promise<void>((resolve) => {
      const waiting = new Subscription(resolve)
      closing.add(waiting)
      queue.ready(place, () => {
        waiting.unsubscribe()
        queue.onEnd()
      })
      queue.startNext()
    })
  }

  /** Waits until the consumer has read. */
  async holdUp(drained: Promise<void>): Promise<void> {
    this.heldSince = this.clock.elapsed()
    await drained
    this.heldSince = Infinity
  }

  evict(): void {
    this.closing.unsubscribe()
    this.onEvicted()
  }
}
