import { channel, hasSubscribers } from 'node:diagnostics_channel'
import type { DiagnosticMessages } from './messages.js'

/** Publishes the result of `message`, which is called only if the channel has subscribers. */
export const publish = <N extends keyof DiagnosticMessages>(
  name: N,
  message: () => DiagnosticMessages[N],
): void => {
  if (hasSubscribers(name)) channel(name).publish(message())
}
