import type { Attributes, Meter } from '@opentelemetry/api'
import type { DiagnosticMessages } from '../base/diagnostics/messages.js'
import {
  closeCodeText,
  errorAttributes,
  isStatus,
  listen,
  serverAttributes,
  type Listeners,
} from './messages.js'

/** A meter of OpenTelemetry, or the one that a command serves to Prometheus. */
type EventMeter = Pick<Meter, 'createCounter' | 'createHistogram'>

/** Metrics of connections, requests and consumers of gateways, by their messages. Returns the function that stops them. */
export const eventMetrics = (meter: EventMeter): (() => void) =>
  listen({ ...connectionListeners(meter), ...requestListeners(meter), ...gatewayListeners(meter) })

const connectionListeners = (meter: EventMeter): Listeners => {
  const [count, durations] = instrumentsOf(meter)
  const attempts = count('connection.attempts', '{attempt}', 'Dials of a WebSocket')
  const connects = durations('svc_streams.connection.connect.duration', 'Time from dial to open')
  const disconnects = count('connection.disconnects', '{disconnect}', 'Ended connections and failed dials')
  const confirms = durations(
    'svc_streams.topic.subscribe.duration',
    'Time from subscribe to its confirmation or first price',
  )
  const switches = count('connection.switches', '{switch}', 'Changes of the line that delivers, to this host')
  const behind = count('connection.behind', '{occurrence}', 'Connections that fell behind maxLag')
  const behindDurations = durations(
    'svc_streams.connection.behind.duration',
    'Time from falling behind maxLag to current prices',
  )
  const failures = count('topic.failures', '{failure}', 'Topics without a price, rejected or not confirmed')
  const decodeErrors = count('decode.errors', '{error}', 'Frames that do not match the protocol')
  const uncorrelated = count('uncorrelated.errors', '{error}', 'Messages that match no topic')

  const onFailure = ({ host, error }: { readonly host: string; readonly error: { readonly _tag: string } }) =>
    failures(host, errorAttributes(error._tag))

  return {
    'svc-streams:connecting': ({ host, attempt }) => attempts(host, { 'svc_streams.reconnect': attempt > 1 }),
    'svc-streams:connected': ({ host, connectMs }) => connects(host, connectMs),
    'svc-streams:disconnected': ({ host, epoch, error }) =>
      disconnects(host, {
        'svc_streams.disconnect.cause':
          error === undefined ? 'client' : epoch === undefined ? 'dial-failed' : 'lost',
        ...(error === undefined ? {} : { 'svc_streams.close.code': closeCodeText(error.code) }),
      }),
    'svc-streams:subscribed': ({ host, confirmMs }) => confirms(host, confirmMs),
    'svc-streams:switched': ({ host }) => switches(host),
    'svc-streams:behind': ({ host }) => behind(host),
    'svc-streams:caught-up': ({ host, behindForMs }) => behindDurations(host, behindForMs),
    'svc-streams:rejected': onFailure,
    'svc-streams:unanswered': onFailure,
    'svc-streams:stale': onFailure,
    'svc-streams:decode-error': ({ host }) => decodeErrors(host),
    'svc-streams:uncorrelated': ({ host, error }) =>
      uncorrelated(host, { 'svc_streams.message.kind': error.kind }),
  }
}

const requestListeners = (meter: EventMeter): Listeners => {
  const [count, durations] = instrumentsOf(meter)
  const requests = durations('http.client.request.duration', 'Duration of HTTP client requests')
  const polls = durations('svc_streams.poll.duration', 'Duration of polls, with the time in the queue')
  const repeats = count(
    'http.repeats',
    '{request}',
    'Requests that were sent again, because the service closed an idle connection',
  )
  return {
    'svc-streams:request': (request) =>
      requests(request.host, request.durationMs, requestAttributes(request)),
    'svc-streams:poll': ({ host, durationMs, error }) =>
      polls(host, durationMs, errorAttributes(error?._tag)),
    'svc-streams:repeated': ({ host }) => repeats(host),
  }
}

const requestAttributes = ({
  route,
  status,
  error,
}: DiagnosticMessages['svc-streams:request']): Attributes => ({
  'http.request.method': 'GET',
  'url.template': route,
  ...(isStatus(status) ? { 'http.response.status_code': status } : {}),
  ...errorAttributes(error ?? (isStatus(status) && status >= 400 ? String(status) : undefined)),
})

const gatewayListeners = (meter: EventMeter): Listeners => {
  const [count, durations] = instrumentsOf(meter)
  const connects = count('gateway.connects', '{connect}', 'Consumers that connected')
  const disconnects = count('gateway.disconnects', '{disconnect}', 'Connections of consumers that ended')
  const behind = count('gateway.consumer.behind', '{occurrence}', 'Consumers that fell behind')
  const behindDurations = durations(
    'svc_streams.gateway.consumer.behind.duration',
    'Time from falling behind to getting every price',
  )
  const refusals = count('gateway.refusals', '{refusal}', 'Consumers that were refused')
  const requests = count('gateway.requests', '{request}', 'HTTP requests of consumers')
  const historyFailures = count(
    'gateway.history.failures',
    '{occurrence}',
    'Times when the history of a gateway could no longer be written',
  )
  const natsFailures = count(
    'gateway.nats.failures',
    '{occurrence}',
    'Times when the NATS server began to refuse messages of a gateway',
  )

  return {
    'svc-streams:gateway-connected': ({ host }) => connects(host),
    'svc-streams:gateway-disconnected': ({ host, cause }) =>
      disconnects(host, { 'svc_streams.disconnect.cause': cause }),
    'svc-streams:gateway-behind': ({ host }) => behind(host),
    'svc-streams:gateway-caught-up': ({ host, behindForMs }) => behindDurations(host, behindForMs),
    'svc-streams:gateway-refused': ({ host, status }) =>
      refusals(host, { 'http.response.status_code': status }),
    'svc-streams:gateway-request': ({ host, kind, shared }) =>
      requests(host, { 'svc_streams.request.kind': kind, 'svc_streams.request.shared': shared }),
    'svc-streams:gateway-history': ({ host, error }) => {
      if (error !== undefined) historyFailures(host)
    },
    'svc-streams:gateway-nats': ({ host, problem }) => {
      if (problem !== undefined) natsFailures(host)
    },
  }
}

/** The boundaries of OpenTelemetry's semantic conventions for durations of requests, in seconds. */
const boundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

/** Functions that create an instrument. A message adds to it: 1, or a duration in ms, which is exported in s. */
const instrumentsOf = (meter: EventMeter) => {
  const count = (name: string, unit: string, description: string) => {
    const counter = meter.createCounter(`svc_streams.${name}`, { unit, description })
    return (host: string, attributes: Attributes = {}): void =>
      counter.add(1, { ...serverAttributes(host), ...attributes })
  }
  const durations = (name: string, description: string) => {
    const advice = { explicitBucketBoundaries: boundaries }
    const histogram = meter.createHistogram(name, { description, unit: 's', advice })
    return (host: string, ms: number, attributes: Attributes = {}): void =>
      histogram.record(ms / 1000, { ...serverAttributes(host), ...attributes })
  }
  return [count, durations] as const
}
