import { channel, subscribe, unsubscribe, type Channel } from 'node:diagnostics_channel'
import type { AddSource, DiagnosticsCollector } from '../../../base/diagnostics/collector.js'
import type { ChannelName, Publish } from '../../../base/diagnostics/messages.js'

// The diagnostics of the library on Node's `diagnostics_channel`.

const collect = 'svc-streams:collect'

/** Kept: on Bun, a channel that only its subscribers refer to is garbage. */
const channels = new Map<ChannelName, Channel>()

const channelOf = (name: ChannelName): Channel => {
  const target = channels.get(name) ?? channel(name)
  channels.set(name, target)
  return target
}

export const publish: Publish = (name, message) => {
  const target = channelOf(name)
  if (target.hasSubscribers) target.publish(message())
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
