import { channel } from 'node:diagnostics_channel'
import type { Attributes } from '@opentelemetry/api'
import type { DiagnosticsCollector } from '../base/diagnostics/collector.js'
import { serverAttributes, listen } from './messages.js'
import type { MetricMeter, ObservedValues } from './meter.js'

/**
 * Metrics of the current state of all clients and gateways, read at each collection. They also include connections that
 * were open before. Returns the function that stops them.
 */
export const stateMetrics = <I>(meter: MetricMeter<I>): (() => void) => {
  const readings = createReadings(meter)
  const all = Object.values(readings)
  const collector = collectorOf(readings)

  const stopListening = listen({
    'svc-streams:disconnected': ({ host, prices }) =>
      readings.prices.addEnded(serverAttributes(host), prices),
    'svc-streams:gateway-disconnected': ({ host, bytes }) =>
      readings.sent.addEnded(serverAttributes(host), bytes),
  })

  const collect = (result: ObservedValues<I>): void => {
    for (const each of all) each.reset()
    channel('svc-streams:collect').publish(collector)
    for (const each of all) each.observe(result)
  }
  const instruments = all.map(({ instrument }) => instrument)
  meter.addBatchObservableCallback(collect, instruments)

  return () => {
    stopListening()
    meter.removeBatchObservableCallback(collect, instruments)
  }
}

const createReadings = <I>(meter: MetricMeter<I>) => {
  type Create = 'createObservableUpDownCounter' | 'createObservableCounter' | 'createObservableGauge'
  const readingBy = (create: Create) => (name: string, unit: string, description: string) =>
    new Readings(meter[create](`svc_streams.${name}`, { unit, description }))
  const count = readingBy('createObservableUpDownCounter')
  const total = readingBy('createObservableCounter')
  const gauge = readingBy('createObservableGauge')
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

const collectorOf = <I>(readings: ReturnType<typeof createReadings<I>>): DiagnosticsCollector => ({
  connection: ({ host, isFront, state, prices, topics, maxPriceAgeMs, lagMs }) => {
    const server = serverAttributes(host)
    const line = isFront ? {} : { 'svc_streams.connection.standby': true }
    readings.connections.add({ ...server, ...line, 'svc_streams.connection.state': state }, 1)
    // Each topic counts once: the lines that stand by have the same ones.
    if (isFront)
      for (const [topicState, number] of Object.entries(topics))
        readings.topics.add({ ...server, 'svc_streams.topic.state': topicState }, number)
    readings.prices.add(server, prices)
    if (isFront && maxPriceAgeMs !== undefined) readings.age.max(server, maxPriceAgeMs / 1000)
    if (lagMs !== undefined) readings.connectionLag.max(server, lagMs / 1000)
  },
  polls: ({ host, count, maxLagMs }) => {
    const server = serverAttributes(host)
    readings.polls.add(server, count)
    if (maxLagMs !== undefined) readings.depthLag.max(server, maxLagMs / 1000)
  },
  gateway: ({ host, isUp, consumers, topics, ...load }) => {
    const server = serverAttributes(host)
    readings.up.max(server, isUp ? 1 : 0)
    readings.consumers.add(server, consumers)
    readings.gatewayTopics.add(server, topics)
    readings.sent.add(server, load.sentBytes)
    readings.buffered.add(server, load.bufferedBytes)
    readings.behind.add(server, load.behindConsumers)
    readings.dropped.add(server, load.droppedPrices)
  },
})

interface Series {
  readonly attributes: Attributes
  /** The sum of what has ended, which is part of each later value. */
  ended: number
  value: number
}

/**
 * The values of an observable instrument at one collection. A series that was observed once is observed with 0 afterwards:
 * exporters repeat the last value of a series that is missing.
 */
class Readings<I> {
  private readonly series = new Map<string, Series>()

  constructor(readonly instrument: I) {}

  reset(): void {
    for (const each of this.series.values()) each.value = each.ended
  }

  add(attributes: Attributes, value: number): void {
    this.seriesOf(attributes).value += value
  }

  addEnded(attributes: Attributes, value: number): void {
    this.seriesOf(attributes).ended += value
  }

  /** Keeps the largest value, at least 0. */
  max(attributes: Attributes, value: number): void {
    const series = this.seriesOf(attributes)
    series.value = Math.max(series.value, value)
  }

  observe(result: ObservedValues<I>): void {
    for (const { attributes, value } of this.series.values())
      result.observe(this.instrument, value, attributes)
  }

  private seriesOf(attributes: Attributes): Series {
    const key = JSON.stringify(attributes)
    const series = this.series.get(key) ?? { attributes, ended: 0, value: 0 }
    this.series.set(key, series)
    return series
  }
}
