import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { DiagnosticMessages } from '../diagnostics/messages.js'

/** The listeners of some channels. */
type Listeners = { readonly [N in keyof DiagnosticMessages]?: (message: DiagnosticMessages[N]) => void }

/** Adds the listeners to their channels. Returns the function that removes them. */
export const listen = (listeners: Listeners): (() => void) => {
  const entries = Object.entries(listeners) as [string, (message: unknown) => void][]
  for (const [name, listener] of entries) subscribe(name, listener)
  return () => {
    for (const [name, listener] of entries) unsubscribe(name, listener)
  }
}
