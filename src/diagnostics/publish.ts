import { channel } from 'node:diagnostics_channel'
import type { DiagnosticMessages } from './messages.js'

const channels = {
  'svc-streams:connected': channel('svc-streams:connected'),
  'svc-streams:disconnected': channel('svc-streams:disconnected'),
  'svc-streams:subscribed': channel('svc-streams:subscribed'),
  'svc-streams:rejected': channel('svc-streams:rejected'),
  'svc-streams:unanswered': channel('svc-streams:unanswered'),
  'svc-streams:stale': channel('svc-streams:stale'),
  'svc-streams:decode-error': channel('svc-streams:decode-error'),
  'svc-streams:poll': channel('svc-streams:poll'),
} satisfies Readonly<Record<keyof DiagnosticMessages, unknown>>

/** Publishes what `message` makes, which is not called where nobody listens. */
export const publish = <N extends keyof DiagnosticMessages>(
  name: N,
  message: () => DiagnosticMessages[N],
): void => {
  const target = channels[name]
  if (target.hasSubscribers) target.publish(message())
}
