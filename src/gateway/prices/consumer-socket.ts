import type { Writable } from 'node:stream'
import type { WebSocket } from 'ws'

/** What a gateway uses of the WebSocket of a consumer. */
export type ConsumerWebSocket = Pick<
  WebSocket,
  'readyState' | 'OPEN' | 'ping' | 'pong' | 'close' | 'terminate'
>

/** What a gateway uses of the socket below it. */
export type ConsumerStream = Pick<Writable, 'write' | 'writableLength'>
