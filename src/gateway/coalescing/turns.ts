/** The sender of a request. */
export interface Requester {
  /** Identifies one consumer of the group: a connection, or a client over NATS. */
  readonly consumer: unknown
  /** The group of consumers that may be one program: the same address, or the same user of NATS. */
  readonly group: string
}

interface Requested {
  readonly requester: Requester
}

/**
 * One request of each group in turn, and within a group one of each consumer, the oldest first. A program with many connections
 * delays others by at most one request. Consumers of a group take turns too, because those behind one proxy have one address.
 */
export class Turns<A extends Requested> {
  /** The requests of each consumer of each group, in the order of their turns. */
  private readonly groups = new Map<string, Map<unknown, Set<A>>>()
  size = 0

  add(request: A): void {
    const { group, consumer } = request.requester
    const consumers = this.groups.get(group) ?? new Map<unknown, Set<A>>()
    const requests = consumers.get(consumer) ?? new Set<A>()
    requests.add(request)
    consumers.set(consumer, requests)
    this.groups.set(group, consumers)
    this.size++
  }

  /** Idempotent. */
  delete(request: A): void {
    const { group, consumer } = request.requester
    const consumers = this.groups.get(group)
    const requests = consumers?.get(consumer)
    if (requests?.delete(request) !== true) return
    this.size--
    if (requests.size === 0) consumers?.delete(consumer)
    if (consumers?.size === 0) this.groups.delete(group)
  }

  /** Removes the request whose turn it is. The next turn of its group and of its consumer is after those of the others. */
  take(): A | undefined {
    const consumers = rotate(this.groups)
    const [request] = (consumers && rotate(consumers)) ?? []
    if (request !== undefined) this.delete(request)
    return request
  }

  /** The newest request, or the oldest one of another consumer if its group, or it within the group, has more requests. */
  excess(newest: A): A {
    const { group, consumer } = newest.requester
    const consumers = largest(this.groups, group, (each) => sum(each.values()))
    const requests = consumers && largest(consumers, consumer, ({ size }) => size)
    const [oldest = newest] = requests ?? []
    return requests?.has(newest) === true ? newest : oldest
  }
}

/** The first value, which becomes the last one. */
const rotate = <K, A>(parts: Map<K, A>): A | undefined => {
  for (const [key, part] of parts) {
    parts.delete(key)
    parts.set(key, part)
    return part
  }
  return undefined
}

/** The largest value; the preferred one, if no other is larger. */
const largest = <K, A>(
  parts: ReadonlyMap<K, A>,
  preferred: K,
  sizeOf: (part: A) => number,
): A | undefined => {
  let found = parts.get(preferred)
  let size = found === undefined ? 0 : sizeOf(found)
  for (const part of parts.values()) {
    const partSize = sizeOf(part)
    if (partSize <= size) continue
    found = part
    size = partSize
  }
  return found
}

const sum = (sets: Iterable<ReadonlySet<unknown>>): number => {
  let total = 0
  for (const { size } of sets) total += size
  return total
}
