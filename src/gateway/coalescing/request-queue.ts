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
  readonly consumer: Party
}

/** A consumer, or a group, or all groups. Its parts take turns: the places of the consumer, or the smaller parties. */
class Party {
  /** Number of places. */
  size = 0
  /** The places of a consumer, in order of arrival. */
  readonly places = new Set<Place>()
  /** The parts that can start, in the order of their turns. */
  readonly turns = new Set<Party | Place>()
  private readonly parties = new Map<unknown, Party>()
  /** The parties by their size. The last set is not empty. */
  private readonly bySize: Set<Party>[] = []

  constructor(
    readonly id: unknown,
    readonly parent?: Party,
  ) {}

  partyOf(id: unknown): Party {
    const party = this.parties.get(id) ?? new Party(id, this)
    this.parties.set(id, party)
    return party
  }

  /** One of the largest parties: the given one, if it is one of them. */
  largest(preferred: Party): Party {
    const [largest = preferred] = this.bySize.at(-1) ?? []
    return preferred.parent === this && preferred.size === largest.size ? preferred : largest
  }

  /** The part whose turn it is. Its next turn is after those of the others. */
  takeTurn(): Party | Place | undefined {
    const [part] = this.turns
    if (part !== undefined && this.turns.delete(part)) this.turns.add(part)
    return part
  }

  /** The party, and those that it is part of, have one place more, or less. */
  resize(change: 1 | -1): void {
    this.size += change
    this.parent?.move(this, this.size - change)
    this.parent?.resize(change)
  }

  private move(party: Party, from: number): void {
    const { bySize } = this
    bySize[from]?.delete(party)
    if (party.size > 0) (bySize[party.size] ??= new Set()).add(party)
    else this.parties.delete(party.id)
    while (bySize.length > 0 && (bySize.at(-1)?.size ?? 0) === 0) bySize.pop()
  }
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
  private readonly all = new Party('all')
  private running = 0
  private isStarting = false
  /** Leaves the queue of the client; `undefined` while nothing waits there. */
  private cancelTurn: Cancel | undefined

  constructor(private readonly config: RequestQueueConfig) {}

  /** The number of consumers' requests that wait for a response. */
  get size(): number {
    return this.all.size
  }

  /** A place for a request that cannot start yet. */
  enter({ consumer: id, group }: Requester, onRefused: () => void): Place {
    const consumer = this.all.partyOf(group).partyOf(id)
    const place: Place = { start: undefined, onRefused, consumer }
    consumer.places.add(place)
    consumer.resize(1)
    return place
  }

  /** Refuses a request if too many wait: the newest one, or one of another consumer that has more of them. */
  refuseExcess(newest: Place): void {
    if (this.size <= this.config.maxWaiting) return
    const { consumer: own } = newest
    const consumer = this.all.largest(own.parent ?? own).largest(own)
    const [oldest = newest] = consumer.places
    const refused = consumer === own ? newest : oldest
    this.leave(refused)
    refused.onRefused()
  }

  /** The request of a place can start. `startNext` starts it in its turn. */
  ready(place: Place, start: () => void): void {
    place.start = start
    let part: Party | Place = place
    for (const party of pathOf(place)) {
      party.turns.add(part)
      part = party
    }
  }

  /** The request of a place does not start in its turn, because it waits for another request. */
  park(place: Place): void {
    place.start = undefined
    let part: Party | Place = place
    for (const party of pathOf(place)) {
      if (!party.turns.delete(part) || party.turns.size > 0) return
      part = party
    }
    this.cancelTurn?.()
    this.cancelTurn = undefined
  }

  /** The request of a place is answered, or its consumer has left. Idempotent. */
  leave(place: Place): void {
    const { consumer } = place
    if (!consumer.places.delete(place)) return
    this.park(place)
    consumer.resize(-1)
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
    return this.all.turns.size > 0 && this.cancelTurn === undefined && this.running < maxRunning
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
    let part: Party | Place | undefined = this.all
    while (part instanceof Party) part = part.takeTurn()
    const start = part?.start
    if (part !== undefined) this.park(part)
    return start
  }
}

/** The parties that a place is part of, the smallest first. */
function* pathOf({ consumer }: Place): Generator<Party, void> {
  for (let party: Party | undefined = consumer; party !== undefined; party = party.parent) yield party
}
