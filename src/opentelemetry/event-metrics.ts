import type { Attributes } from '@opentelemetry/api'
import type { DiagnosticMessages } from '../base/diagnostics/messages.js'
import {
  closeCodeText,
  errorAttributes,
  serverAttributes,
  listen,
  isStatus,
  type Listeners,
} from './messages.js'
import type { DistributionInstrument, MetricMeter, SumInstrument } from './meter.js'

type Meter = Pick<MetricMeter<unknown>, 'createCounter' | 'createHistogram'>

/** Metrics of connections, requests and consumers of gateways, by their messages. Returns the function that stops them. */
export const eventMetrics = (meter: Meter): (() => void) =>
  listen({ ...connectionListeners(meter), ...requestListeners(meter), ...gatewayListeners(meter) })

const connectionListeners = (meter: Meter): Listeners => {
  const count = countersOf(meter)
  const attempts = count('connection.attempts', '{attempt}', 'Dials of a WebSocket')
  const connects = createDurations(meter, 'svc_streams.connection.connect.duration', 'Time from dial to open')
  const disconnects = count('connection.disconnects', '{disconnect}', 'Ended connections and failed dials')
  const confirms = createDurations(
    meter,
    'svc_streams.topic.subscribe.duration',
    'Time from subscribe to its confirmation or first price',
  )
  const switches = count('connection.switches', '{switch}', 'Changes of the line that delivers, to this host')
  const behind = count('connection.behind', '{occurrence}', 'Connections that fell behind maxLag')
  const behindDurations = createDurations(
    meter,
    'svc_streams.connection.behind.duration',
    'Time from falling behind maxLag to current prices',
  )
  const failures = count('topic.failures', '{failure}', 'Topics without a price, rejected or not confirmed')
  const decodeErrors = count('decode.errors', '{error}', 'Frames that do not match the protocol')
  const uncorrelated = count('uncorrelated.errors', '{error}', 'Messages that match no topic')

  const onFailure = ({ host, error }: { readonly host: string; readonly error: { readonly _tag: string } }) =>
    failures.add(1, { ...serverAttributes(host), ...errorAttributes(error._tag) })

  return {
    'svc-streams:connecting': ({ host, attempt }) =>
      attempts.add(1, { ...serverAttributes(host), 'svc_streams.reconnect': attempt > 1 }),
    'svc-streams:connected': ({ host, connectMs }) =>
      connects.record(connectMs / 1000, serverAttributes(host)),
    'svc-streams:disconnected': (ended) =>
      disconnects.add(1, {
        ...serverAttributes(ended.host),
        'svc_streams.disconnect.cause': causeOf(ended),
        ...(ended.error === undefined ? {} : { 'svc_streams.close.code': closeCodeText(ended.error.code) }),
      }),
    'svc-streams:subscribed': ({ host, confirmMs }) =>
      confirms.record(confirmMs / 1000, serverAttributes(host)),
    'svc-streams:switched': ({ host }) => switches.add(1, serverAttributes(host)),
    'svc-streams:behind': ({ host }) => behind.add(1, serverAttributes(host)),
    'svc-streams:caught-up': ({ host, behindForMs }) =>
      behindDurations.record(behindForMs / 1000, serverAttributes(host)),
    'svc-streams:rejected': onFailure,
    'svc-streams:unanswered': onFailure,
    'svc-streams:stale': onFailure,
    'svc-streams:decode-error': ({ host }) => decodeErrors.add(1, serverAttributes(host)),
    'svc-streams:uncorrelated': ({ host, error }) =>
      uncorrelated.add(1, { ...serverAttributes(host), 'svc_streams.message.kind': error.kind }),
  }
}

const causeOf = ({
  epoch,
  error,
}: DiagnosticMessages['svc-streams:disconnected']): 'client' | 'dial-failed' | 'lost' => {
  if (error === undefined) return 'client'
  return epoch === undefined ? 'dial-failed' : 'lost'
}

const requestListeners = (meter: Meter): Listeners => {
  const requests = createDurations(meter, 'http.client.request.duration', 'Duration of HTTP client requests')
  const polls = createDurations(
    meter,
    'svc_streams.poll.duration',
    'Duration of polls, with the time in the queue',
  )
  const repeats = countersOf(meter)(
    'http.repeats',
    '{request}',
    'Requests that were sent again, because the service closed an idle connection',
  )
  return {
    'svc-streams:request': (request) =>
      requests.record(request.durationMs / 1000, requestAttributes(request)),
    'svc-streams:poll': ({ host, durationMs, error }) =>
      polls.record(durationMs / 1000, { ...serverAttributes(host), ...errorAttributes(error?._tag) }),
    'svc-streams:repeated': ({ host }) => repeats.add(1, serverAttributes(host)),
  }
}

const requestAttributes = ({
  host,
  route,
  status,
  error,
}: DiagnosticMessages['svc-streams:request']): Attributes => {
  const failedStatus = status !== undefined && status >= 400 ? status : undefined
  return {
    'http.request.method': 'GET',
    ...serverAttributes(host),
    'url.template': route,
    ...(isStatus(status) ? { 'http.response.status_code': status } : {}),
    ...errorAttributes(error ?? (isStatus(failedStatus) ? String(failedStatus) : undefined)),
  }
}

const gatewayListeners = (meter: Meter): Listeners => {
  const count = countersOf(meter)
  const connects = count('gateway.connects', '{connect}', 'Consumers that connected')
  const disconnects = count('gateway.disconnects', '{disconnect}', 'Connections of consumers that ended')
  const behind = count('gateway.consumer.behind', '{occurrence}', 'Consumers that fell behind')
  const behindDurations = createDurations(
    meter,
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
    'svc-streams:gateway-connected': ({ host }) => connects.add(1, serverAttributes(host)),
    'svc-streams:gateway-disconnected': ({ host, cause }) =>
      disconnects.add(1, { ...serverAttributes(host), 'svc_streams.disconnect.cause': cause }),
    'svc-streams:gateway-behind': ({ host }) => behind.add(1, serverAttributes(host)),
    'svc-streams:gateway-caught-up': ({ host, behindForMs }) =>
      behindDurations.record(behindForMs / 1000, serverAttributes(host)),
    'svc-streams:gateway-refused': ({ host, status }) =>
      refusals.add(1, { ...serverAttributes(host), 'http.response.status_code': status }),
    'svc-streams:gateway-request': ({ host, kind, shared }) =>
      requests.add(1, {
        ...serverAttributes(host),
        'svc_streams.request.kind': kind,
        'svc_streams.request.shared': shared,
      }),
    'svc-streams:gateway-history': ({ host, error }) => {
      if (error !== undefined) historyFailures.add(1, serverAttributes(host))
    },
    'svc-streams:gateway-nats': ({ host, problem }) => {
      if (problem !== undefined) natsFailures.add(1, serverAttributes(host))
    },
  }
}

/** The boundaries of OpenTelemetry's semantic conventions for durations of requests, in seconds. */
const boundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

/** A histogram of durations, in seconds. */
const createDurations = (meter: Meter, name: string, description: string): DistributionInstrument =>
  meter.createHistogram(name, { description, unit: 's', advice: { explicitBucketBoundaries: boundaries } })

const countersOf =
  (meter: Meter) =>
  (name: string, unit: string, description: string): SumInstrument =>
    meter.createCounter(`svc_streams.${name}`, { unit, description })
