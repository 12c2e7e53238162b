import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Attributes } from '@opentelemetry/api'
import type { DiagnosticMessages } from '../base/diagnostics/messages.js'

export type Listeners = {
  readonly [N in keyof DiagnosticMessages]?: (message: DiagnosticMessages[N]) => void
}

/** Adds the listeners to their channels. Returns the function that removes them. */
export const listen = (listeners: Listeners): (() => void) => {
  const entries = Object.entries(listeners) as [string, (message: unknown) => void][]
  for (const [name, listener] of entries) subscribe(name, listener)
  return () => {
    for (const [name, listener] of entries) unsubscribe(name, listener)
  }
}

// Names of OpenTelemetry's semantic conventions, and names below `svc_streams` for what these do not define. Every
// attribute has few values: no topic, no mint, no text of the service.

/** The attributes of a host such as `prices.example:4000`. */
export const serverAttributes = (host: string): Attributes => {
  const [, address = host, port] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(host) ?? []
  return { 'server.address': address, ...(port === undefined ? {} : { 'server.port': Number(port) }) }
}

/** `error.type` of an error; no attribute without one. */
export const errorAttributes = (type: string | undefined): Attributes =>
  type === undefined ? {} : { 'error.type': type }

/** A final HTTP status. A custom transport may pass any number. */
export const isStatus = (status: number | undefined): status is number =>
  status !== undefined && Number.isInteger(status) && status >= 100 && status <= 599

/** The close code of a WebSocket. Codes of applications, of which there are 2000, share one value per range. */
export const closeCodeText = (code: number): string => {
  if (code >= 1000 && code <= 1015) return String(code)
  if (code >= 3000 && code <= 3999) return '3xxx'
  return code >= 4000 && code <= 4999 ? '4xxx' : '_OTHER'
}
