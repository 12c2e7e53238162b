import type { Cancel } from '../../base/task/cancellable-task.js'

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
  /** In order of arrival. */
  readonly places: Set<Place>
  /** The places that can start, in the order of their turns. */
  readonly ready: Set<Place>
}

interface Group {
  readonly id: string
  readonly consumers: Map<unknown, Consumer>
  /** The consumers with a place that can start, in the order of their turns. */
  readonly ready: Set<Consumer>
  /** Number of places. */
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
  private readonly readyGroups = new Set<Group>()
  /** The number of consumers' requests that wait for a response. */
  size = 0
  private running = 0
  private isStarting = false
  /** Leaves the queue of the client; `undefined` while nothing waits there. */
  private cancelTurn: Cancel | undefined

  constructor(private readonly config: RequestQueueConfig) {}

  /** A place for a request that cannot start yet. */
  enter({ consumer: id, group: groupId }: Requester, onRefused: () => void): Place {
    const group: Group = this.groups.get(groupId) ?? {
      id: groupId,
      consumers: new Map(),
      ready: new Set(),
      size: 0,
    }
    const consumer: Consumer = group.consumers.get(id) ?? { id, group, places: new Set(), ready: new Set() }
    this.groups.set(groupId, group)
    group.consumers.set(id, consumer)
    const place: Place = { start: undefined, onRefused, consumer }
    consumer.places.add(place)
    group.size++
    this.size++
    return place
  }

  /** Refuses a request if too many wait: the newest one, or the oldest one of another consumer that has more of them. */
  refuseExcess(newest: Place): void {
    if (this.size <= this.config.maxWaiting) return
    const { consumer: own } = newest
    const group = largest(own.group, this.groups.values(), ({ size }) => size)
    const first = group === own.group ? own : undefined
    const consumer = largest(first, group.consumers.values(), ({ places }) => places.size)
    const [oldest = newest] = consumer.places
    const refused = consumer === own ? newest : oldest
    this.leave(refused)
    refused.onRefused()
  }

  /** The request of a place can start. `startNext` starts it in its turn. */
  ready(place: Place, start: () => void): void {
    const { consumer } = place
    place.start = start
    consumer.ready.add(place)
    consumer.group.ready.add(consumer)
    this.readyGroups.add(consumer.group)
  }

  /** The request of a place does not start in its turn, because it waits for another request. */
  park(place: Place): void {
    const { consumer } = place
    const { group } = consumer
    place.start = undefined
    consumer.ready.delete(place)
    if (consumer.ready.size === 0) group.ready.delete(consumer)
    if (group.ready.size === 0) this.readyGroups.delete(group)
    if (this.readyGroups.size > 0) return
    this.cancelTurn?.()
    this.cancelTurn = undefined
  }

  /** The request of a place is answered, or its consumer has left. Idempotent. */
  leave(place: Place): void {
    const { consumer } = place
    const { group } = consumer
    if (!consumer.places.delete(place)) return
    this.park(place)
    this.size--
    if (consumer.places.size === 0) group.consumers.delete(consumer.id)
    if (--group.size === 0) this.groups.delete(group.id)
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
      while (this.readyGroups.size > 0 && this.cancelTurn === undefined && this.running < maxRunning)
        this.startWhenSendable()
    } finally {
      this.isStarting = false
    }
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
    const place = nextOf(nextOf(nextOf(this.readyGroups)?.ready)?.ready)
    const start = place?.start
    if (place !== undefined) this.park(place)
    return start
  }
}

/** The part whose turn it is. Its next turn is after those of the others. */
const nextOf = <A>(turns: Set<A> | undefined): A | undefined => {
  const [part] = turns ?? []
  if (part !== undefined && turns?.delete(part) === true) turns.add(part)
  return part
}

/** The largest part: the first one, if no other is larger. */
const largest = <A>(first: A | undefined, parts: Iterable<A>, sizeOf: (part: A) => number): A => {
  let found = first
  for (const part of parts) if (found === undefined || sizeOf(part) > sizeOf(found)) found = part
  return found as A
}
