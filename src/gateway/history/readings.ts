import { Subscription } from 'rxjs'
import { type Clock, macrotasks } from '../../base/time/clock.js'
import { Turns, type Requester } from '../coalescing/turns.js'

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
  private readonly readings = new Set<Reading>()
  private readonly turns = new Turns<Reading>()
  private isRunning = false

  constructor(private readonly clock: Pick<Clock, 'elapsed'>) {}

  /** `onEvicted`: the reading ends before its end, to make room. */
  start(requester: Requester, onEvicted: () => void): Reading {
    const { readings, turns, clock } = this
    if (readings.size >= maxReadings) this.evictSlowest()
    const reading = new Reading(requester, clock, onEvicted, () => {
      turns.add(reading)
      this.run()
    })
    readings.add(reading)
    reading.closing.add(() => {
      readings.delete(reading)
      turns.delete(reading)
    })
    return reading
  }

  /** Gives one turn in each turn of the event loop. */
  private run(): void {
    if (this.isRunning || this.turns.size === 0) return
    this.isRunning = true
    macrotasks()(() => {
      this.isRunning = false
      this.turns.take()?.onTurn()
      this.run()
    })
  }

  private evictSlowest(): void {
    const readings = [...this.readings]
    const groupSize = ({ requester }: Reading): number =>
      readings.filter((each) => each.requester.group === requester.group).length
    const isSlower = (a: Reading, b: Reading): boolean =>
      a.heldForMs === b.heldForMs ? groupSize(a) >= groupSize(b) : a.heldForMs > b.heldForMs
    const slowest = readings.reduce((found, each) => (isSlower(each, found) ? each : found))
    slowest.closing.unsubscribe()
    slowest.onEvicted()
  }
}

export class Reading {
  readonly closing = new Subscription()
  /** Since when it waits for its consumer: monotonic, in ms; `Infinity` while it does not. */
  private heldSince = Infinity
  onTurn: () => void = () => undefined

  constructor(
    readonly requester: Requester,
    private readonly clock: Pick<Clock, 'elapsed'>,
    readonly onEvicted: () => void,
    private readonly requestTurn: () => void,
  ) {}

  /** The time for which a slow consumer has read nothing, in ms; 0 for a consumer that is not slow. */
  get heldForMs(): number {
    const heldFor = this.clock.elapsed() - this.heldSince
    return heldFor > usualHold ? heldFor : 0
  }

  /** Resolves in the turn of the reading, or at its end. */
  async turn(): Promise<void> {
    const { closing } = this
    if (closing.closed) return
    await new Promise<void>((resolve) => {
      const waiting = new Subscription(resolve)
      closing.add(waiting)
      this.onTurn = () => waiting.unsubscribe()
      this.requestTurn()
    })
  }

  async holdUp(drained: Promise<void>): Promise<void> {
    this.heldSince = this.clock.elapsed()
    await drained
    this.heldSince = Infinity
  }
}
