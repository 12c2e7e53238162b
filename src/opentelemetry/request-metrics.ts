import type { Attributes, Meter } from '@opentelemetry/api'
import type { DiagnosticMessages } from '../diagnostics/messages.js'
import { errorAttributes, isStatus, serverAttributes } from './attributes.js'
import { createDurations } from './durations.js'
import { listen } from './listen.js'

/** Metrics of polls and of HTTP requests. Returns the function that stops them. */
export const requestMetrics = (meter: Meter): (() => void) => {
  const requests = createDurations(meter, 'http.client.request.duration', 'Duration of HTTP client requests')
  const polls = createDurations(
    meter,
    'svc_streams.poll.duration',
    'Duration of polls, with the time in the queue',
  )
  const repeats = meter.createCounter('svc_streams.http.repeats', {
    unit: '{request}',
    description: 'Requests that were sent again, because the service closed an idle connection',
  })
  return listen({
    'svc-streams:request': (request) =>
      requests.record(request.durationMs / 1000, requestAttributes(request)),
    'svc-streams:poll': ({ host, durationMs, error }) =>
      polls.record(durationMs / 1000, { ...serverAttributes(host), ...errorAttributes(error?._tag) }),
    'svc-streams:repeated': ({ host }) => repeats.add(1, serverAttributes(host)),
  })
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
