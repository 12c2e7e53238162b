import type { Clock } from '../../base/time/clock.js'
import { macrotasks } from '../../base/time/macrotask.js'
import { RequestQueue, type Place, type Requester } from '../coalescing/request-queue.js'

/** Number of readings at the same time. Each reading needs memory for a chunk of a file. */
export const maxReadings = 64

/** A reading whose consumer has read nothing for this time may have to make room for another one, in ms. */
export const longestHold = 1_000

/**
 * The readings of a history. They take turns like depth requests: in each turn of the event loop, one reading reads one
 * chunk of a file, so that no live price waits for more than a chunk.
 *
 * If there are too many readings, one of the group with the most of them ends. If that is the group of the new reading,
 * the consumer that has read nothing for the longest time makes room, and without such a consumer the new reading is
 * refused. No reading ends for a group that has more readings than its own.
 */
export class Readings {
  private readonly queue = new RequestQueue({
    maxWaiting: maxReadings,
    whenSendable: (onTurn) => macrotasks()(onTurn),
  })
  private readonly readings = new Set<Reading>()

  constructor(private readonly clock: Pick<Clock, 'elapsed'>) {}

  /** `undefined`: the reading is refused. `onEvicted`: it ends before its end, to make room. */
  start(requester: Requester, onEvicted: () => void): Reading | undefined {
    const reading = this.enter(requester, onEvicted)
    if (!reading.isEnded) return reading
    const heldUp = this.heldUpBy(requester)
    heldUp?.evict()
    return heldUp && this.enter(requester, onEvicted)
  }

  /** The reading has ended if it is the one that is refused. */
  private enter(requester: Requester, onEvicted: () => void): Reading {
    const { queue, readings, clock } = this
    const place = queue.enter(requester, () => (readings.has(reading) ? reading.evict() : reading.end()))
    const reading = new Reading(place, queue, clock, onEvicted, () => readings.delete(reading))
    queue.refuseExcess(place)
    if (!reading.isEnded) readings.add(reading)
    return reading
  }

  /** The reading that makes room for another one of a group without more readings. */
  private heldUpBy({ group }: Requester): Reading | undefined {
    const readings = [...this.readings]
    const ownSize = readings.filter((each) => each.group?.id === group).length
    const latest = this.clock.elapsed() - longestHold
    return readings
      .filter(({ heldUpSince }) => heldUpSince <= latest)
      .filter(({ group: other }) => other?.id === group || (other?.size ?? 0) > ownSize)
      .sort((a, b) => a.heldUpSince - b.heldUpSince)[0]
  }
}

/** One reading, from its request to its end. */
export class Reading {
  /** Since when it waits for its consumer: monotonic, in ms; `Infinity` while it does not. */
  heldUpSince = Infinity
  isEnded = false
  private onTurn: (() => void) | undefined

  constructor(
    private readonly place: Place,
    private readonly queue: RequestQueue,
    private readonly clock: Pick<Clock, 'elapsed'>,
    private readonly onEvicted: () => void,
    private readonly onEnd: () => void,
  ) {}

  get group(): Place['consumer'] | undefined {
    return this.place.consumer.parent
  }

  /** Resolves in the turn of the reading, or at its end. */
  async turn(): Promise<void> {
    const { place, queue, isEnded } = this
    if (isEnded) return
    await new Promise<void>((resolve) => {
      this.onTurn = resolve
      queue.ready(place, () => {
        resolve()
        queue.onEnd()
      })
      queue.startNext()
    })
  }

  /** Waits until the consumer has read. */
  async holdUp(drained: Promise<void>): Promise<void> {
    this.heldUpSince = this.clock.elapsed()
    await drained
    this.heldUpSince = Infinity
  }

  evict(): void {
    this.end()
    this.onEvicted()
  }

  /** Idempotent. */
  end(): void {
    this.isEnded = true
    this.onEnd()
    this.queue.leave(this.place)
    this.onTurn?.()
  }
}
