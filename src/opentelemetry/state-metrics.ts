import { channel } from 'node:diagnostics_channel'
import type { Attributes } from '@opentelemetry/api'
import type { DiagnosticsCollector } from '../base/diagnostics/collector.js'
import { serverAttributes, listen } from './messages.js'

/** Metrics of the current state of all clients and gateways, which `collect` reads. */
export const stateMetrics = () => {
  const metrics = createMetrics()
  const all = Object.values(metrics)
  const collector = collectorOf(metrics)
  const stop = listen({
    'svc-streams:disconnected': ({ host, prices }) => metrics.prices.addEnded(prices, serverAttributes(host)),
    'svc-streams:gateway-disconnected': ({ host, bytes }) =>
      metrics.sent.addEnded(bytes, serverAttributes(host)),
  })
  const collect = (): void => {
    for (const each of all) each.reset()
    channel('svc-streams:collect').publish(collector)
  }
  return { all, collect, stop }
}

/** A `count` can decrease, a `total` cannot. A `gauge` is no sum over its attributes. */
export type MetricKind = 'count' | 'total' | 'gauge'

const createMetrics = () => {
  const metricOf = (kind: MetricKind) => (name: string, unit: string, description: string) =>
    new Metric(kind, `svc_streams.${name}`, unit, description)
  const [count, total, gauge] = [metricOf('count'), metricOf('total'), metricOf('gauge')]
  return {
    connections: count('connection.count', '{connection}', 'WebSockets that are needed, by state'),
    topics: count('topic.count', '{topic}', 'Topics, by state'),
    prices: total('received.prices', '{price}', 'Prices received'),
    age: gauge('price.max_age', 's', 'Longest time since the last price of a topic with subscribers'),
    connectionLag: gauge(
      'connection.lag',
      's',
      'Upper bound of the age of the prices that arrive: time since the newest answered ping',
    ),
    polls: count('poll.count', '{poll}', 'Polls with subscribers'),
    depthLag: gauge(
      'depth.lag',
      's',
      'Longest time from the timestamp of a depth to its receipt, of the polls with subscribers',
    ),
    up: gauge('gateway.up', '1', '1 while the connection to the service is usable, otherwise 0'),
    consumers: count('gateway.consumer.count', '{consumer}', 'Connections of consumers'),
    gatewayTopics: count('gateway.topic.count', '{topic}', 'Topics subscribed at the service'),
    sent: total('gateway.sent', 'By', 'Size of the frames sent to consumers'),
    buffered: count('gateway.buffered', 'By', 'Size of the frames that wait for slow consumers'),
    behind: count(
      'gateway.consumer.behind.count',
      '{consumer}',
      'Consumers that are behind: they get the newest price of a topic instead of every price',
    ),
    dropped: total('gateway.dropped', '{price}', 'Prices not sent to consumers that were behind'),
  }
}

const collectorOf = (metrics: ReturnType<typeof createMetrics>): DiagnosticsCollector => ({
  connection: ({ host, isFront, state, prices, topics, maxPriceAgeMs, lagMs }) => {
    const server = serverAttributes(host)
    const line = isFront ? {} : { 'svc_streams.connection.standby': true }
    metrics.connections.add(1, { ...server, ...line, 'svc_streams.connection.state': state })
    // Each topic counts once: the lines that stand by have the same ones.
    if (isFront)
      for (const [topicState, number] of Object.entries(topics))
        metrics.topics.add(number, { ...server, 'svc_streams.topic.state': topicState })
    metrics.prices.add(prices, server)
    if (isFront && maxPriceAgeMs !== undefined) metrics.age.max(maxPriceAgeMs / 1000, server)
    if (lagMs !== undefined) metrics.connectionLag.max(lagMs / 1000, server)
  },
  polls: ({ host, count, maxLagMs }) => {
    const server = serverAttributes(host)
    metrics.polls.add(count, server)
    if (maxLagMs !== undefined) metrics.depthLag.max(maxLagMs / 1000, server)
  },
  gateway: ({ host, isUp, consumers, topics, ...load }) => {
    const server = serverAttributes(host)
    metrics.up.max(isUp ? 1 : 0, server)
    metrics.consumers.add(consumers, server)
    metrics.gatewayTopics.add(topics, server)
    metrics.sent.add(load.sentBytes, server)
    metrics.buffered.add(load.bufferedBytes, server)
    metrics.behind.add(load.behindConsumers, server)
    metrics.dropped.add(load.droppedPrices, server)
  },
})

interface Series {
  readonly attributes: Attributes
  /** The sum of what has ended, which is part of each later value. */
  ended: number
  value: number
}

/** A series that had a value once has 0 afterwards: exporters repeat the last value of one that is missing. */
export class Metric {
  private readonly byAttributes = new Map<string, Series>()

  constructor(
    readonly kind: MetricKind,
    readonly name: string,
    readonly unit: string,
    readonly description: string,
  ) {}

  /** The values of the last collection. */
  get series(): Iterable<{ readonly attributes: Attributes; readonly value: number }> {
    return this.byAttributes.values()
  }

  reset(): void {
    for (const each of this.byAttributes.values()) each.value = each.ended
  }

  add(value: number, attributes: Attributes = {}): void {
    this.seriesOf(attributes).value += value
  }

  addEnded(value: number, attributes: Attributes): void {
    this.seriesOf(attributes).ended += value
  }

  /** Keeps the largest value, at least 0. */
  max(value: number, attributes: Attributes): void {
    const series = this.seriesOf(attributes)
    series.value = Math.max(series.value, value)
  }

  private seriesOf(attributes: Attributes): Series {
    const key = JSON.stringify(attributes)
    const series = this.byAttributes.get(key) ?? { attributes, ended: 0, value: 0 }
    this.byAttributes.set(key, series)
    return series
  }
}
