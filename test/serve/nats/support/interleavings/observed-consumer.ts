import type { Subscription } from 'rxjs'
import type { Topic } from 'svc-streams'
import { natsClient } from 'svc-streams/nats'
import { findProblems, type Observation } from '../find-problems.js'
import type { PriceLine } from '../lines.js'
import { observePrices } from '../observe-prices.js'
import type { FaultyLink } from './faulty-link.js'
import { maxLag, shortTimes } from './times.js'

/** What a consumer has observed by one subscription. */
interface ObservedSubscription {
  readonly topic: Topic
  readonly events: PriceLine[]
  readonly subscription: Subscription
}

/** A consumer in this process, and all that it has observed. */
export class ObservedConsumer {
  private readonly client
  private readonly observed: ObservedSubscription[] = []

  constructor(readonly link: FaultyLink) {
    this.client = natsClient({ environment: 'mainnet', servers: link.url, maxLag, ...shortTimes })
  }

  get wanted(): readonly Topic[] {
    return this.open.map(({ topic }) => topic)
  }

  wants(topic: Topic): boolean {
    return this.wanted.includes(topic)
  }

  subscribe(topic: Topic): void {
    const events: PriceLine[] = []
    const subscription = observePrices(this.client, topic, (line) => events.push(line))
    this.observed.push({ topic, events, subscription })
  }

  unsubscribe(topic: Topic): void {
    for (const each of this.open) if (each.topic === topic) each.subscription.unsubscribe()
  }

  /** The topics without a price since a time, in ms since the epoch. */
  topicsWithoutPrice(since: number): readonly Topic[] {
    return this.open
      .filter(({ events }) => !events.some(({ at, tag }) => tag === 'Right' && at >= since))
      .map(({ topic }) => topic)
  }

  /** What it has observed, and must not. */
  problems(context: Omit<Observation, 'events'>): readonly string[] {
    return [
      ...this.observed.flatMap(({ events }) => findProblems({ ...context, events: events.map(atReceipt) })),
      ...this.observed.flatMap(({ events }) => events.flatMap(oldPrice)),
      ...backwardSteps(this.observed),
    ]
  }

  /** What it has observed, for the message of a failed test. */
  get log(): readonly string[] {
    return this.observed.flatMap(({ topic, events }) => [topic, ...events.slice(-100).map(textOf)])
  }

  close(): Promise<void> {
    return this.client.close()
  }

  private get open(): readonly ObservedSubscription[] {
    return this.observed.filter(({ subscription }) => !subscription.closed)
  }
}

const textOf = ({ at, tag, price, epoch, message = '' }: PriceLine): string =>
  `${at} ${tag} ${price ?? ''} ${epoch ?? ''} ${message}`

/** A late subscriber of a silent topic gets the last price. `receivedAt` is the time at which it was current. */
const atReceipt = (event: PriceLine): PriceLine => ({ ...event, at: event.receivedAt ?? event.at })

const oldPrice = ({ at, price = 0, receivedAt = at }: PriceLine): readonly string[] =>
  at - receivedAt > shortTimes.staleAfter + maxLag ? [`${price} is delivered ${at - receivedAt} ms late`] : []

/** A later subscription of a topic gets no earlier price and no earlier epoch. */
const backwardSteps = (observed: readonly ObservedSubscription[]): readonly string[] => {
  const last = new Map<Topic, PriceLine>()
  const problems: string[] = []
  for (const { topic, events } of observed) {
    for (const event of events.filter(({ tag }) => tag === 'Right')) {
      const { price = 0, epoch = 0 } = last.get(topic) ?? {}
      if ((event.price ?? 0) < price) problems.push(`${event.price} follows the later price ${price}`)
      if ((event.epoch ?? 0) < epoch) problems.push(`epoch ${event.epoch} follows ${epoch}`)
      last.set(topic, event)
    }
  }
  return problems
}
