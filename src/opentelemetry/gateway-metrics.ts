import type { Meter } from '@opentelemetry/api'
import { serverAttributes } from './attributes.js'
import { createDurations } from './durations.js'
import { listen } from './listen.js'

/** Metrics of the consumers of gateways. Returns the function that stops them. */
export const gatewayMetrics = (meter: Meter): (() => void) => {
  const count = (name: string, unit: string, description: string) =>
    meter.createCounter(`svc_streams.gateway.${name}`, { unit, description })
  const connects = count('connects', '{connect}', 'Consumers that connected')
  const disconnects = count('disconnects', '{disconnect}', 'Connections of consumers that ended')
  const behind = count('consumer.behind', '{occurrence}', 'Consumers that fell behind')
  const behindDurations = createDurations(
    meter,
    'svc_streams.gateway.consumer.behind.duration',
    'Time from falling behind to getting every price',
  )
  const refusals = count('refusals', '{refusal}', 'Consumers that were refused')
  const requests = count('requests', '{request}', 'HTTP requests of consumers')

  return listen({
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
  })
}
