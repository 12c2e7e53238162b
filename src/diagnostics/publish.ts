import { channel, hasSubscribers } from 'node:diagnostics_channel'
import type { DiagnosticMessages } from './messages.js'

/** Publishes what `message` makes, which is not called where nobody listens. */
export const publish = <N extends keyof DiagnosticMessages>(
  name: N,
  message: () => DiagnosticMessages[N],
): void => {
  if (hasSubscribers(name)) channel(name).publish(message())
}
