import type { Meter } from '@opentelemetry/api'
import type { DiagnosticMessages } from '../diagnostics/messages.js'
import { closeCodeText, errorAttributes, serverAttributes } from './attributes.js'
import { createDurations } from './durations.js'
import { listen } from './listen.js'

type Ended = DiagnosticMessages['svc-streams:disconnected']

/** Metrics of the WebSockets to the service. Returns the function that stops them. */
export const connectionMetrics = (meter: Meter): (() => void) => {
  const count = (name: string, unit: string, description: string) =>
    meter.createCounter(`svc_streams.${name}`, { unit, description })
  const attempts = count('connection.attempts', '{attempt}', 'Dials of a WebSocket')
  const connects = createDurations(meter, 'svc_streams.connection.connect.duration', 'Time from dial to open')
  const disconnects = count('connection.disconnects', '{disconnect}', 'Ended connections and failed dials')
  const confirms = createDurations(
    meter,
    'svc_streams.topic.subscribe.duration',
    'Time from subscribe to its confirmation or first price',
  )
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

  return listen({
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
    'svc-streams:behind': ({ host }) => behind.add(1, serverAttributes(host)),
    'svc-streams:caught-up': ({ host, behindForMs }) =>
      behindDurations.record(behindForMs / 1000, serverAttributes(host)),
    'svc-streams:rejected': onFailure,
    'svc-streams:unanswered': onFailure,
    'svc-streams:stale': onFailure,
    'svc-streams:decode-error': ({ host }) => decodeErrors.add(1, serverAttributes(host)),
    'svc-streams:uncorrelated': ({ host, error }) =>
      uncorrelated.add(1, { ...serverAttributes(host), 'svc_streams.message.kind': error.kind }),
  })
}

const causeOf = ({ epoch, error }: Ended): 'client' | 'dial-failed' | 'lost' => {
  if (error === undefined) return 'client'
  return epoch === undefined ? 'dial-failed' : 'lost'
}
