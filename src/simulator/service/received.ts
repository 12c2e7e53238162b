/** A request as the HTTP server received it. */
export interface ReceivedRequest {
  readonly method: string
  /** With its query, byte for byte. */
  readonly path: string
  /** By lower-cased name. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

/** A frame as the WebSocket server received it. */
export interface ReceivedFrame {
  /** The connection's `id`. */
  readonly connection: number
  /** The frame's text; a binary frame's bytes as hex. */
  readonly text: string
}

/** An open connection to the WebSocket server, as it is at this moment. */
export interface ConnectionView {
  /** Counts all connections of the simulator from 1. */
  readonly id: number
  /** The path that was dialled, with its query. */
  readonly path: string
  /** The topics that are active on it, as they were asked for, in that order. */
  readonly topics: readonly string[]
  /** How many pings it has sent. */
  readonly pings: number
}
