import type { Cancel } from '../../../base/task/cancellable-task.js'

/** The sender of a request. */
export interface Requester {
  /** Identifies one consumer of the group: a connection, or a client over NATS. */
  readonly consumer: unknown
  /** The group of consumers that may be one program: the same address, or the same user of NATS. */
  readonly group: string
}

export interface RequestQueueConfig {
  /** Calls back when the client would send a request at once. The client has its own queue, first in, first out. */
  readonly whenSendable: (onTurn: () => void) => Cancel
  /** Number of consumers' requests that wait for a response. */
  readonly maxWaiting: number
}

/** What one request of a consumer waits for. */
export interface Place {
  /** Starts the request in its turn; `undefined` while it waits for a running request, or for its start time. */
  start: (() => void) | undefined
  /** Called if the queue is full, and this consumer has the most requests. The place is already removed. */
  readonly onRefused: () => void
  readonly consumer: Consumer
}

interface Consumer {
  readonly id: unknown
  readonly group: Group
  /** All places, in order of arrival. */
  readonly places: Set<Place>
  /** The places that can start, in order. */
  readonly ready: Set<Place>
}

interface Group {
  readonly name: string
  readonly consumers: Map<unknown, Consumer>
  /** The consumers with a place that can start, in the order of their turns. */
  readonly turns: Set<Consumer>
  readonly bySize: BySize<Consumer>
  size: number
}

/** Concurrent requests to a client without its own limit. */
const maxRunning = 256

/**
 * Starts the requests of consumers in turns: one of each group, and within a group one of each consumer. The queue of
 * the client has no turns. The gateway therefore chooses and starts a request only when the client would send it at
 * once. If too many requests wait, the queue refuses requests of the consumer with the most requests.
 *
 * Groups take turns, so a program with many connections delays consumers of other addresses by at most one request.
 * Connections within a group take turns, because consumers behind one proxy have one address.
 */
export class RequestQueue {
  private readonly groups = new Map<string, Group>()
  /** The groups with a place that can start, in the order of their turns. */
  private readonly turns = new Set<Group>()
  private readonly bySize = new BySize<Group>()
  private waiting = 0
  private running = 0
  private isStarting = false
  /** Leaves the queue of the client; `undefined` while nothing waits there. */
  private cancelTurn: Cancel | undefined

  constructor(private readonly config: RequestQueueConfig) {}

  /** The number of consumers' requests that wait for a response. */
  get size(): number {
    return this.waiting
  }

  /** A place for a request that cannot start yet. */
  enter({ consumer: id, group: name }: Requester, onRefused: () => void): Place {
    const consumer = this.groups.get(name)?.consumers.get(id) ?? this.addConsumer(name, id)
    const place: Place = { start: undefined, onRefused, consumer }
    consumer.places.add(place)
    this.resize(consumer, 1)
    return place
  }

  /** Refuses a request if too many wait: the newest one, or one of another consumer that has more of them. */
  refuseExcess(newest: Place): void {
    if (this.waiting <= this.config.maxWaiting) return
    const own = newest.consumer
    const group = largestOf(this.bySize, own.group, ({ size }) => size)
    const consumer =
      group === own.group ? largestOf(group.bySize, own, ({ places }) => places.size) : group.bySize.largest()
    const [oldest = newest] = consumer?.places ?? []
    const refused = consumer === own ? newest : oldest
    this.leave(refused)
    refused.onRefused()
  }

  /** The request of a place can start. `startNext` starts it in its turn. */
  ready(place: Place, start: () => void): void {
    const { consumer } = place
    place.start = start
    consumer.ready.add(place)
    consumer.group.turns.add(consumer)
    this.turns.add(consumer.group)
  }

  /** The request of a place does not start in its turn, because it waits for another request. */
  park(place: Place): void {
    const { consumer } = place
    const { group } = consumer
    place.start = undefined
    if (!consumer.ready.delete(place) || consumer.ready.size > 0) return
    group.turns.delete(consumer)
    if (group.turns.size > 0) return
    this.turns.delete(group)
    if (this.turns.size > 0) return
    this.cancelTurn?.()
    this.cancelTurn = undefined
  }

  /** The request of a place is answered, or its consumer has left. Idempotent. */
  leave(place: Place): void {
    const { consumer } = place
    if (!consumer.places.delete(place)) return
    this.park(place)
    this.resize(consumer, -1)
    const { group } = consumer
    if (consumer.places.size === 0) group.consumers.delete(consumer.id)
    if (group.consumers.size === 0) this.groups.delete(group.name)
  }

  /** A request that was started by a place has ended. */
  onEnd(): void {
    this.running--
    this.startNext()
  }

  /** Starts requests in turns, as long as the client sends them at once. */
  startNext(): void {
    // A request may end while it is started: the loop below continues.
    if (this.isStarting) return
    this.isStarting = true
    try {
      while (this.canStart()) this.startWhenSendable()
    } finally {
      this.isStarting = false
    }
  }

  private canStart(): boolean {
    return this.turns.size > 0 && this.cancelTurn === undefined && this.running < maxRunning
  }

  private startWhenSendable(): void {
    let isTurn = false
    const cancel = this.config.whenSendable(() => {
      isTurn = true
      this.cancelTurn = undefined
      const start = this.takeTurn()
      if (start === undefined) return
      this.running++
      start()
      this.startNext()
    })
    // The callback may have been called. The cast undoes the narrowing by the first line.
    if (!(isTurn as boolean)) this.cancelTurn = cancel
  }

  private takeTurn(): (() => void) | undefined {
    const [group] = this.turns
    const [consumer] = group?.turns ?? []
    const [place] = consumer?.ready ?? []
    if (group === undefined || consumer === undefined || place === undefined) return undefined
    const { start } = place
    this.park(place)
    moveToEnd(group.turns, consumer)
    moveToEnd(this.turns, group)
    return start
  }

  private addConsumer(name: string, id: unknown): Consumer {
    const group: Group = this.groups.get(name) ?? {
      name,
      consumers: new Map(),
      turns: new Set(),
      bySize: new BySize(),
      size: 0,
    }
    const consumer: Consumer = { id, group, places: new Set(), ready: new Set() }
    this.groups.set(name, group)
    group.consumers.set(id, consumer)
    return consumer
  }

  /** Records that a consumer has one place more, or less. */
  private resize(consumer: Consumer, change: 1 | -1): void {
    const { group, places } = consumer
    group.bySize.move(consumer, places.size - change, places.size)
    group.size += change
    this.bySize.move(group, group.size - change, group.size)
    this.waiting += change
  }
}

/** One of the largest items: the given item, if it is one of them. */
const largestOf = <T>(items: BySize<T>, preferred: T, sizeOf: (item: T) => number): T => {
  const largest = items.largest() ?? preferred
  return sizeOf(preferred) < sizeOf(largest) ? largest : preferred
}

/** Moves an item of a set to its end. */
const moveToEnd = <T>(items: Set<T>, item: T): void => {
  if (items.delete(item)) items.add(item)
}

/** Items with a size that changes by one at a time. */
class BySize<T> {
  /** By size. The last set is not empty. */
  private readonly sets: Set<T>[] = []

  move(item: T, from: number, to: number): void {
    this.sets[from]?.delete(item)
    if (to > 0) (this.sets[to] ??= new Set()).add(item)
    while (this.sets.length > 0 && (this.sets.at(-1)?.size ?? 0) === 0) this.sets.pop()
  }

  largest(): T | undefined {
    const [item] = this.sets.at(-1) ?? []
    return item
  }
}
