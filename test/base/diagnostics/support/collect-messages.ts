import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { DiagnosticMessages } from 'svc-streams'
import { onTestFinished } from 'vitest'

/** Collects the messages of a channel until the end of the test. */
export const collectMessages = <N extends keyof DiagnosticMessages>(
  name: N,
): readonly DiagnosticMessages[N][] => {
  const messages: DiagnosticMessages[N][] = []
  const listener = (message: unknown): void => void messages.push(message as DiagnosticMessages[N])
  subscribe(name, listener)
  onTestFinished(() => void unsubscribe(name, listener))
  return messages
}
