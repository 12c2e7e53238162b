import { channel, subscribe, unsubscribe, type Channel } from 'node:diagnostics_channel'
import type { AddSource, DiagnosticsCollector } from '../../../base/diagnostics/collector.js'
import type { ChannelName, Publish } from '../../../base/diagnostics/messages.js'

// The diagnostics of the library on Node's `diagnostics_channel`.

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
  'svc-streams:switched': true,
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
  'svc-streams:gateway-nats': true,
  'svc-streams:history-unreadable': true,
  'svc-streams:recording': true,
}

const collect = 'svc-streams:collect'

/** Kept from the start: on Bun a channel that only its subscribers refer to is garbage. */
const channels = new Map<string, Channel>(
  [...Object.keys(channelNames), collect].map((name) => [name, channel(name)]),
)

/** Publishes on Node's `diagnostics_channel`. */
export const publish: Publish = (name, message) => {
  const target = channels.get(name)
  if (target?.hasSubscribers === true) target.publish(message())
}

const sources = new Set<(collector: DiagnosticsCollector) => void>()

const onCollect = (collector: unknown): void => {
  for (const source of sources) source(collector as DiagnosticsCollector)
}

/** Answers messages on Node's channel `svc-streams:collect`, while there is at least one source. */
export const addSource: AddSource = (source) => {
  if (sources.size === 0) subscribe(collect, onCollect)
  sources.add(source)
  return () => {
    if (sources.delete(source) && sources.size === 0) unsubscribe(collect, onCollect)
  }
}
