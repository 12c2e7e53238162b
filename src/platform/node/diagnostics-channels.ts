import { channel, type Channel } from 'node:diagnostics_channel'
import type { ChannelName, Publish } from '../../diagnostics/publish.js'

const names: Readonly<Record<ChannelName, true>> = {
  'svc-streams:connected': true,
  'svc-streams:disconnected': true,
  'svc-streams:subscribed': true,
  'svc-streams:rejected': true,
  'svc-streams:unanswered': true,
  'svc-streams:stale': true,
  'svc-streams:decode-error': true,
  'svc-streams:poll': true,
  'svc-streams:repeated': true,
}

/** Kept from the start: on Bun a channel that only its subscribers refer to is garbage. */
const channels = new Map<string, Channel>(Object.keys(names).map((name) => [name, channel(name)]))

/** Publishes on Node's `diagnostics_channel`. */
export const publish: Publish = (name, message) => {
  const target = channels.get(name)
  if (target?.hasSubscribers === true) target.publish(message())
}
