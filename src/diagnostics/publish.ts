import type { DiagnosticMessages } from './messages.js'

export type ChannelName = keyof DiagnosticMessages

/** Publishes the result of `message`, which is called only if the channel has subscribers. */
export type Publish = <N extends ChannelName>(name: N, message: () => DiagnosticMessages[N]) => void
