import { X509Certificate, createHmac, createSecretKey } from 'node:crypto'
import { channel, subscribe, unsubscribe, type Channel } from 'node:diagnostics_channel'
import type { CreateMac } from '../auth/mac.js'
import type { AddSource, DiagnosticsCollector } from '../diagnostics/collector.js'
import type { ChannelName, Publish } from '../diagnostics/messages.js'
import { ConfigurationError } from '../errors/configuration-error.js'
import { importUndici, importWs } from '../transport/packages.js'
import { undiciTransport } from '../transport/undici/undici-transport.js'
import { wsTransport } from '../transport/ws/ws-transport.js'
import { lazyHttpTransport, lazyWebSocketTransport } from './node/lazy-transports.js'
import type { Platform } from './platform.js'

/** Validates an option as PEM certificates, because TLS silently ignores any other text. Throws a `ConfigurationError`. */
const parseCertificates: Platform['parseCertificates'] = (option, value) => {
  const text = value instanceof Uint8Array ? Buffer.from(value).toString() : value
  const certificates = typeof text === 'string' ? (text.match(certificatePattern) ?? []) : []
  if (typeof text === 'string' && certificates.length > 0 && certificates.every(isCertificate)) return text
  throw new ConfigurationError(option, 'expected PEM certificates, as a string or bytes')
}

const certificatePattern = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

const isCertificate = (pem: string): boolean => {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    return false
  }
}

/** The MAC by Node's `crypto`. */
const createMac: CreateMac = (key) => {
  const secret = createSecretKey(key)
  return (input) => {
    const mac = createHmac('sha256', secret)
    for (const piece of input) mac.update(piece)
    return mac.digest('base64').replace('=', '')
  }
}

const channelNames: Readonly<Record<ChannelName, true>> = {
  'svc-streams:connecting': true,
  'svc-streams:connected': true,
  'svc-streams:disconnected': true,
  'svc-streams:subscribed': true,
  'svc-streams:rejected': true,
  'svc-streams:unanswered': true,
  'svc-streams:stale': true,
  'svc-streams:behind': true,
  'svc-streams:caught-up': true,
  'svc-streams:decode-error': true,
  'svc-streams:uncorrelated': true,
  'svc-streams:poll': true,
  'svc-streams:request': true,
  'svc-streams:repeated': true,
  'svc-streams:gateway-connected': true,
  'svc-streams:gateway-disconnected': true,
  'svc-streams:gateway-behind': true,
  'svc-streams:gateway-caught-up': true,
  'svc-streams:gateway-refused': true,
  'svc-streams:gateway-request': true,
  'svc-streams:gateway-history': true,
}

const collect = 'svc-streams:collect'

/** Kept from the start: on Bun a channel that only its subscribers refer to is garbage. */
const channels = new Map<string, Channel>(
  [...Object.keys(channelNames), collect].map((name) => [name, channel(name)]),
)

/** Publishes on Node's `diagnostics_channel`. */
const publish: Publish = (name, message) => {
  const target = channels.get(name)
  if (target?.hasSubscribers === true) target.publish(message())
}

const sources = new Set<(collector: DiagnosticsCollector) => void>()

const onCollect = (collector: unknown): void => {
  for (const source of sources) source(collector as DiagnosticsCollector)
}

/** Answers messages on Node's channel `svc-streams:collect`, while there is at least one source. */
const addSource: AddSource = (source) => {
  if (sources.size === 0) subscribe(collect, onCollect)
  sources.add(source)
  return () => {
    if (sources.delete(source) && sources.size === 0) unsubscribe(collect, onCollect)
  }
}

/** Node, and the runtimes that are compatible with it. */
export const node: Platform = {
  webSocketTransport: (ca) => lazyWebSocketTransport(async () => wsTransport(await importWs(), ca)),
  httpTransport: (options) => lazyHttpTransport(async () => undiciTransport(await importUndici(), options)),
  createMac,
  parseCertificates,
  publish,
  addSource,
  isPublic: false,
  onWake: () => () => undefined,
}
