import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Subscription } from 'rxjs'
import type { ChannelName, DiagnosticMessages } from '../../../base/diagnostics/messages.js'

/** Calls back for each message of a diagnostics channel, until the subscription ends. */
export const onChannel = <N extends ChannelName>(
  name: N,
  onMessage: (message: DiagnosticMessages[N]) => void,
): Subscription => {
  const listener = onMessage as (message: unknown) => void
  subscribe(name, listener)
  return new Subscription(() => void unsubscribe(name, listener))
}
