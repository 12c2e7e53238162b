import { channel } from 'node:diagnostics_channel'
import type { ConnectionState } from 'svc-streams/opentelemetry'
import { eventually } from '../../../support/time/eventually.js'

/** The state of the connection to a WebSocket URL now; `undefined` if no client of this process has one. */
export const connectionStateOf = (url: string): ConnectionState | undefined => {
  const states: ConnectionState[] = []
  const ignore = (): void => undefined
  const add = (state: ConnectionState): unknown => states.push(state)
  channel('svc-streams:collect').publish({ connection: add, polls: ignore, gateway: ignore })
  const { host } = new URL(url)
  return states.find((state) => state.host === host)
}

/** Resolves when the service has answered a ping: from then on, its connection may be behind. */
export const whenMeasured = (url: string): Promise<unknown> =>
  eventually(() => connectionStateOf(url)?.lagMs !== undefined)

/** Resolves when the prices of the connection are behind, or no longer. */
export const whenBehind = (url: string, expected = true): Promise<unknown> =>
  eventually(() => connectionStateOf(url)?.isBehind === expected)
