import { upgradeResponse } from '../../../../support/network/upgrade.js'
import { eventLogOf, type EventLog, type EventLogOptions } from './event-log.js'
import type { Ending, Script } from './fake-tcp-socket.js'
import { always, maxFrameBytes } from './open-tap.js'

/** The bytes of a text, as in the events of an event log. */
export const hex = (content: string): string => Buffer.from(content).toString('hex')

/** Sends the handshake, then each piece, each in its own turn of the event loop. */
export const script = (pieces: readonly Buffer[], ending: Ending = 'end'): Script => ({
  pieces: (accept) => [upgradeResponse(accept), ...pieces].map((bytes) => ({ bytes, sameTurn: false })),
  ending,
})

/** Sends everything in one piece, including the handshake. */
export const inOnePiece = (...frames: readonly Buffer[]): Script => ({
  pieces: (accept) => [{ bytes: Buffer.concat([upgradeResponse(accept), ...frames]), sameTurn: false }],
  ending: 'end',
})

/** Plays a script to a WebSocket over a tap that removes every frame. */
export const playOverTap = (script: Script, options: Partial<EventLogOptions> = {}): Promise<EventLog> =>
  eventLogOf(script, { removes: always, maxFrameBytes, ...options })
