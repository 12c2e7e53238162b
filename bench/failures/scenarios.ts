import type { Simulator, TcpProxy } from 'svc-streams/simulator'
import type { ClientProcess } from './client-process.js'
import {
  firstEvent,
  firstSentPrice,
  oldestPrice,
  recovery,
  sentPricesIn,
  wrongPricesIn,
  type Observation,
} from './observation.js'

/** The topics of a scenario. `unlisted`: the service rejects it. */
export interface Topics {
  readonly live: string
  readonly unlisted: string
}

export interface Environment {
  readonly service: Simulator
  readonly network: TcpProxy
  readonly client: ClientProcess
  readonly topics: Topics
}

export interface Scenario {
  /** Heading of the column. */
  readonly title: string
  readonly begin: (environment: Environment) => void
  /** Duration of the failure in s, after which `end` runs. */
  readonly seconds: number
  readonly end?: (environment: Environment) => void
  /** Time to observe after the failure, in s. */
  readonly secondsAfter: number
  /** The columns of the table, by their heading. */
  readonly columns: Readonly<Record<string, (observation: Observation) => string>>
  /** Number of subscribers of the topic. Default: 1. */
  readonly subscribers?: 2
}

const priceFrame = (topic: string, price: unknown): string => JSON.stringify({ topic, price })

const sendPrices = ({ service, topics }: Environment, count: number): void => {
  for (let n = 0; n < count; n += 1) service.send(priceFrame(topics.live, firstSentPrice + n))
}

const burstLength = 1000
const heldPrices = 10
const wrongPrices: readonly unknown[] = [0, -1, '12', null, undefined]

/** An outage of the network without an error, as a laptop, a mobile network or a firewall causes it. */
export const halfOpen: Scenario = {
  title: 'The network forwards nothing for 120 s',
  begin: (environment) => {
    environment.network.freeze()
    // The network holds these prices until it is back.
    sendPrices(environment, heldPrices)
  },
  seconds: 120,
  end: ({ network }) => network.heal(),
  secondsAfter: 60,
  columns: {
    'First event': firstEvent,
    'Prices of 120 s ago, delivered as current': (observation) =>
      `${sentPricesIn(observation)} of ${heldPrices}`,
    'After the network is back': recovery,
  },
}

/** A bandwidth of about a third of what the prices need. */
const slowLink = { bytesPerSecond: 10_000, pricesPerSecond: 400 }

const senders = new WeakMap<Environment, NodeJS.Timeout>()

/** A link with less bandwidth than its prices need: a mobile network, or a feed that has grown. */
export const slow: Scenario = {
  title: `${slowLink.pricesPerSecond} prices a second over a link of 10 kB/s, for 60 s`,
  begin: (environment) => {
    const { network, service, topics } = environment
    network.bytesPerSecond(slowLink.bytesPerSecond)
    const start = performance.now()
    let sent = 0
    const sender = setInterval(() => {
      const elapsed = performance.now() - start
      for (; sent < (elapsed * slowLink.pricesPerSecond) / 1000; sent++)
        service.send(priceFrame(topics.live, firstSentPrice + elapsed))
    }, 5)
    senders.set(environment, sender)
  },
  seconds: 60,
  end: (environment) => {
    clearInterval(senders.get(environment))
    environment.network.heal()
  },
  secondsAfter: 0,
  columns: {
    'First event': firstEvent,
    'Oldest price that is delivered as current': oldestPrice,
  },
}

const received = 'What its user receives'
const events = {
  [received]: (observation: Observation) => `${firstEvent(observation)}; ${recovery(observation)}`,
}

export const otherScenarios: readonly Scenario[] = [
  {
    title: 'The service closes with code 1000',
    begin: ({ service }) => service.dropConnections(1000),
    seconds: 0,
    secondsAfter: 20,
    columns: events,
  },
  {
    title: 'The connection ends without a close frame',
    begin: ({ network }) => network.cut(),
    seconds: 0,
    secondsAfter: 20,
    columns: events,
  },
  {
    title: 'A text that is not JSON',
    begin: ({ service }) => service.send('maintenance at 12:00'),
    seconds: 0,
    secondsAfter: 20,
    columns: events,
  },
  {
    title: 'The service rejects another topic',
    begin: ({ client, topics }) => client.subscribe(3, topics.unlisted),
    seconds: 0,
    secondsAfter: 20,
    columns: events,
  },
  {
    title: 'The topic is silent, the connection is open',
    begin: ({ service, topics }) => service.delist(topics.live.replace('svc-', '') as `0x${string}`),
    seconds: 60,
    secondsAfter: 0,
    columns: { [received]: firstEvent },
  },
  {
    title: 'One of two subscribers of the topic leaves',
    begin: ({ client }) => client.unsubscribe(2),
    seconds: 0,
    secondsAfter: 20,
    columns: events,
    subscribers: 2,
  },
  {
    title: `${burstLength} prices in a burst`,
    begin: (environment) => sendPrices(environment, burstLength),
    seconds: 0,
    secondsAfter: 10,
    columns: { [received]: (observation) => `${sentPricesIn(observation)} of ${burstLength}` },
  },
  {
    title: 'Wrong prices: 0, -1, "12", null, none',
    begin: ({ service, topics }) => {
      for (const price of wrongPrices) service.send(priceFrame(topics.live, price))
    },
    seconds: 0,
    secondsAfter: 10,
    columns: {
      [received]: (observation) =>
        `${wrongPricesIn(observation)} of ${wrongPrices.length} delivered; ${firstEvent(observation)}`,
    },
  },
]
