import { assertNever } from '../../../src/base/domain/assert-never.js'
import type { Base } from '../price-frame.js'
import type { ServiceEvent } from './random-service.js'

/** A change of the subscribers of a topic. `rejected`: the client rejected the topic, which ended its subscribers. */
export interface SubscriberEvent {
  readonly kind: 'wanted' | 'unwanted' | 'rejected'
  readonly at: number
  readonly base: Base
}

/** A time in which an event loop was blocked, in ms. */
export interface Blocked {
  readonly from: number
  readonly to: number
}

export interface WaitingTimes {
  /** The longest time that a wanted topic was neither answered nor requested on an open connection, in ms. */
  readonly wanted: number
  /** The longest time that an answered topic without subscribers was not unsubscribed, in ms. */
  readonly unwanted: number
}

interface TopicTimes {
  isWanted: boolean
  /** The connections on which the service sent a confirmation or a price. */
  readonly answeredOn: Set<number>
  wantedSince: number | undefined
  unwantedSince: number | undefined
}

/** Measures how long topics waited, from what the service received and sent. Blocked time does not count. */
export const measureWaitingTimes = (
  log: readonly (ServiceEvent | SubscriberEvent)[],
  blocked: readonly Blocked[],
): WaitingTimes => {
  const topics = new Map<Base, TopicTimes>()
  const open = new Set<number>()
  const longest = { wanted: 0, unwanted: 0 }

  const measure = (kind: keyof WaitingTimes, since: number | undefined, at: number): void => {
    if (since === undefined) return
    longest[kind] = Math.max(longest[kind], at - since - blockedBetween(blocked, since, at))
  }
  const topicOf = (base: Base): TopicTimes => {
    const topic = topics.get(base) ?? {
      ...{ isWanted: false, answeredOn: new Set<number>() },
      ...{ wantedSince: undefined, unwantedSince: undefined },
    }
    topics.set(base, topic)
    return topic
  }
  const update = (topic: TopicTimes, at: number): void => {
    const { isWanted, answeredOn } = topic
    const waits = isWanted && open.size > 0 && answeredOn.size === 0
    if (!waits) measure('wanted', topic.wantedSince, at)
    topic.wantedSince = waits ? (topic.wantedSince ?? at) : undefined
    const remains = !isWanted && answeredOn.size > 0
    if (!remains) measure('unwanted', topic.unwantedSince, at)
    topic.unwantedSince = remains ? (topic.unwantedSince ?? at) : undefined
  }
  const apply = (event: ServiceEvent | SubscriberEvent): void => {
    const topic = event.base === undefined ? undefined : topicOf(event.base)
    switch (event.kind) {
      case 'opened':
        open.add(event.connection)
        // The topic may belong to the new connection. It is requested from now on.
        for (const one of topics.values()) one.wantedSince = undefined
        return
      case 'closed':
        open.delete(event.connection)
        for (const one of topics.values()) one.answeredOn.delete(event.connection)
        return
      case 'subscribe':
        measure('wanted', topic?.wantedSince, event.at)
        if (topic !== undefined) topic.wantedSince = undefined
        return
      case 'unsubscribe':
        topic?.answeredOn.delete(event.connection)
        return
      case 'answered':
        if (open.has(event.connection)) topic?.answeredOn.add(event.connection)
        return
      case 'wanted':
      case 'unwanted':
        if (topic !== undefined) topic.isWanted = event.kind === 'wanted'
        return
      case 'rejected':
        topic?.answeredOn.clear()
        return
      default:
        assertNever(event)
    }
  }
  for (const event of log.toSorted((a, b) => a.at - b.at)) {
    apply(event)
    for (const topic of topics.values()) update(topic, event.at)
  }
  return longest
}

const blockedBetween = (blocked: readonly Blocked[], from: number, to: number): number =>
  blocked.reduce(
    (sum, { from: start, to: end }) => sum + Math.max(0, Math.min(end, to) - Math.max(start, from)),
    0,
  )
