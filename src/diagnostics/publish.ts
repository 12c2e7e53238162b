import { channel, type Channel } from 'node:diagnostics_channel'
import type { DiagnosticMessages } from './messages.js'

type ChannelName = keyof DiagnosticMessages

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

/** Publishes the result of `message`, which is called only if the channel has subscribers. */
export const publish = <N extends ChannelName>(name: N, message: () => DiagnosticMessages[N]): void => {
  const target = channels.get(name)
  if (target?.hasSubscribers === true) target.publish(message())
}
