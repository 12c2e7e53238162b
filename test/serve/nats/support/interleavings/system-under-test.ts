import { createClient, type Topic } from 'svc-streams'
import { startNatsGateway, type NatsGateway } from 'svc-streams/nats'
import { startSimulator, type Simulator } from 'svc-streams/simulator'
import { expect } from 'vitest'
import { eventually } from '../../../../support/time/eventually.js'
import { btcTopic, ethTopic, usdc } from '../../../../support/tokens.js'
import { startClockMarket } from '../clock-market.js'
import { watchPauses } from '../watch-pauses.js'
import { FaultyLink } from './faulty-link.js'
import { ObservedConsumer } from './observed-consumer.js'
import { maxLag, shortTimes } from './times.js'

/** A gateway in this process, the service that only it uses, and its connection to NATS. */
export interface RunningGateway {
  readonly gateway: NatsGateway
  readonly service: Simulator
  readonly link: FaultyLink
  readonly close: () => Promise<void>
}

/** The time from the market to the gateway, which is no part of `maxLag`, in ms. */
const marketTime = 250

export const consumerCount = 2

/** Each consumer begins with a topic of its own and the last one, which they share. */
export const topics: readonly Topic[] = [ethTopic, btcTopic, `svc-${usdc}`]

/** Gateways and consumers of one NATS server, all in this process. */
export class SystemUnderTest {
  readonly gateways: RunningGateway[] = []
  readonly consumers: ObservedConsumer[] = []
  readonly market = startClockMarket(25)
  private readonly left: ObservedConsumer[] = []
  private readonly pauses: { readonly from: number; readonly to: number }[] = []
  private readonly releases: (() => unknown)[] = [
    this.market.stop,
    watchPauses((from, to) => this.pauses.push({ from, to })),
  ]

  constructor(private readonly natsUrl: string) {}

  /** Starts a gateway, and consumers that have prices. */
  async start(): Promise<void> {
    await this.startGateway()
    for (const own of topics.slice(0, consumerCount)) {
      const consumer = new ObservedConsumer(await this.startLink())
      this.consumers.push(consumer)
      for (const topic of [own, ...topics.slice(consumerCount)]) consumer.subscribe(topic)
    }
    await this.expectRecovered()
  }

  async startGateway(): Promise<void> {
    const service = await startSimulator({ market: this.market })
    const client = createClient({ environment: 'mainnet', ...service, ...shortTimes })
    const link = await this.startLink()
    const gateway = await startNatsGateway(client, { servers: link.url })
    const close = async (): Promise<void> => {
      await gateway.close()
      await client.close()
      await service.close()
    }
    this.gateways.push({ gateway, service, link, close })
  }

  async stopGateway(index: number): Promise<void> {
    const [stopped] = this.gateways.splice(index, 1)
    await stopped?.close()
  }

  /** A consumer dies, and another one with the same topics takes its place. Nothing is sent to its gateway. */
  async replaceConsumer(index: number): Promise<void> {
    const consumer = new ObservedConsumer(await this.startLink())
    const [dead] = this.consumers.splice(index, 1, consumer)
    if (dead === undefined) return
    for (const topic of dead.wanted) consumer.subscribe(topic)
    dead.link.dropConnections()
    this.left.push(dead)
    await dead.close()
  }

  /** The links of all gateways and consumers. */
  get links(): readonly FaultyLink[] {
    return [...this.gateways, ...this.consumers].map(({ link }) => link)
  }

  heal(): void {
    this.market.isSilent = false
    for (const link of this.links) link.heal()
  }

  /** What the consumers have observed, and must not. */
  problems(): readonly string[] {
    const { prices } = this.market
    const pauseBetween = (from: number, to: number): number =>
      this.pauses.reduce(
        (sum, pause) => sum + Math.max(0, Math.min(to, pause.to) - Math.max(from, pause.from)),
        0,
      )
    const maxAge = maxLag + marketTime
    return [...this.consumers, ...this.left].flatMap((each) =>
      each.problems({ prices, maxAge, pauseBetween }),
    )
  }

  /** Waits until each consumer gets prices of its topics, and the gateways are subscribed to exactly these. */
  async expectRecovered(): Promise<void> {
    const since = Date.now()
    await eventually(() =>
      expect(this.consumers.map((each) => each.topicsWithoutPrice(since))).toEqual(
        this.consumers.map(() => []),
      ),
    )
    await eventually(() => {
      expect(new Set(this.gateways.flatMap(topicsAtService))).toEqual(this.wanted)
      // A gateway that stands by is subscribed to nothing.
      const standbys = this.gateways.filter(({ gateway }) => gateway.inspect().sessions === 0)
      expect(standbys.flatMap(topicsAtService)).toEqual([])
    })
  }

  /** What happened, for the message of a failed test. */
  get log(): string {
    const gateways = this.gateways.map(({ gateway, service }) => ({
      ...gateway.inspect(),
      upstream: service.connections.map(({ topics }) => topics),
    }))
    return [...this.consumers.flatMap(({ log }) => log), JSON.stringify(gateways, undefined, 1)].join('\n')
  }

  async close(): Promise<void> {
    this.heal()
    await Promise.all([...this.consumers, ...this.gateways].map((each) => each.close()))
    for (const release of this.releases.reverse()) await release()
  }

  private get wanted(): ReadonlySet<Topic> {
    return new Set(this.consumers.flatMap(({ wanted }) => wanted))
  }

  private startLink(): Promise<FaultyLink> {
    return FaultyLink.start((release) => this.releases.push(release), this.natsUrl)
  }
}

const topicsAtService = ({ service }: RunningGateway): readonly string[] =>
  service.connections.flatMap(({ topics }) => topics)
