import type { DiagnosticMessages, Publish } from '../../base/diagnostics/messages.js'

type Channel = keyof DiagnosticMessages & `svc-streams:${'gateway' | 'history'}-${string}`

/** Publishes a message of a gateway in diagnostics, with its host. */
export type Report = <N extends Channel>(name: N, message: Omit<DiagnosticMessages[N], 'host'>) => void

/** `host`: host and port of the gateway, or of its NATS server. */
export const reporterOf =
  (publish: Publish, host: () => string): Report =>
  <N extends Channel>(name: N, message: Omit<DiagnosticMessages[N], 'host'>) =>
    publish(name, () => ({ host: host(), ...message }) as DiagnosticMessages[N])
