import { startSimulator, type Simulator } from 'svc-streams/simulator'
import type { Address } from 'svc-streams'
import type { NatsGatewayOptions } from 'svc-streams/nats'
import type { TestContext } from 'vitest'
import { ConsumerProcess } from './consumer-process.js'
import { startClockMarket, type ClockMarket } from './clock-market.js'
import { findProblems } from './find-problems.js'
import { FleetProcess } from './fleet-process.js'
import { watchPauses } from './watch-pauses.js'

type Servers = string | readonly string[]

/** A gateway process, and the service that only this gateway uses. */
export interface GatewayProcess {
  readonly process: FleetProcess
  readonly service: Simulator
  /** The base addresses that it is subscribed to at its service. */
  readonly upstreamTopics: () => readonly string[]
}

/** The processes of a test, and the market from which all of them get their prices. */
export class Fleet {
  readonly market: ClockMarket
  private readonly processes: FleetProcess[] = []
  private readonly ownPauses: { readonly from: number; readonly to: number }[] = []

  /**
   * `servers`: addresses of NATS servers for gateways and consumers that have none of their own. `tick`: the time between
   * two prices of a topic, in ms.
   */
  constructor(
    private readonly test: Pick<TestContext, 'onTestFinished' | 'task'>,
    private readonly servers: Servers,
    tick = 25,
  ) {
    this.market = startClockMarket(tick)
    test.onTestFinished(this.market.stop)
    test.onTestFinished(watchPauses((from, to) => this.ownPauses.push({ from, to })))
  }

  /** The title of the test. */
  get title(): string {
    return this.test.task.name
  }

  /** Starts a gateway with a service of its own. Resolves when it runs. */
  async startGateway(options: Partial<NatsGatewayOptions> = {}): Promise<GatewayProcess> {
    const service = await startSimulator({ market: this.market })
    this.test.onTestFinished(() => service.close())
    const { baseUrl, priceBaseUrl, priceWsUrl, authKey } = service
    const process = this.add(
      new FleetProcess(
        'gateway',
        [
          { baseUrl, priceBaseUrl, priceWsUrl, authKey },
          { servers: this.servers, ...options },
        ],
        this.test.onTestFinished,
      ),
    )
    await process.started()
    const upstreamTopics = (): readonly string[] => service.connections.flatMap(({ topics }) => topics)
    return { process, service, upstreamTopics }
  }

  /** Starts a consumer. Resolves when it runs. */
  async startConsumer(
    options: {
      readonly servers?: Servers
      readonly noRandomize?: boolean
      readonly maxLag?: number
    } = {},
  ): Promise<ConsumerProcess> {
    const consumer = new ConsumerProcess([{ servers: this.servers, ...options }], this.test.onTestFinished)
    this.add(consumer)
    await consumer.started()
    return consumer
  }

  /** The time between two moments in which the machine was too busy to run the processes of this test, in ms. */
  pauseBetween(from: number, to: number): number {
    const own = this.ownPauses
      .map((pause) => Math.max(0, Math.min(to, pause.to) - Math.max(from, pause.from)))
      .reduce((sum, pause) => sum + pause, 0)
    return this.processes.reduce((sum, process) => sum + process.pauseBetween(from, to), own)
  }

  /** What a consumer has observed, and must not. `maxLag`: its option, in ms. */
  problemsOf(consumer: ConsumerProcess, maxLag = 1_000): readonly string[] {
    const pauseBetween = (from: number, to: number): number => this.pauseBetween(from, to)
    // The time from the market to the gateway is no part of `maxLag`.
    const maxAge = maxLag + 250
    return findProblems({ events: consumer.events(), prices: this.market.prices, maxAge, pauseBetween })
  }

  private add(process: FleetProcess): FleetProcess {
    this.processes.push(process)
    return process
  }
}

/** The mint of a token of the market, for depth requests. */
export const mintOf = ({ tokens }: ClockMarket): Address => tokens[0]?.address ?? '0x0'
