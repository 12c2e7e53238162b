import type { Either } from 'fp-ts/lib/Either.js'
import type { DecodeError, NetworkError } from '../errors/model.js'

// The ports: what a WebSocket and an HTTP client must do for the library. Deadlines, retries and meaning are the
// library's own; a transport carries bytes, reports what happened, and never throws.

/** What a socket tells: one call at a time, none before `dial` has returned, none after `closed`. */
export interface SocketListener {
  /** The socket is open and takes frames. */
  opened(): void
  /**
   * A whole text frame as bytes, which are good during this call alone. Returns whether that was all; if not, the
   * transport is to tell of the frame by `text`. A transport may do without, and just call `text`.
   */
  bytes(memory: Uint8Array, start: number, end: number): boolean
  /** A whole text frame. */
  text(frame: string): void
  /** A whole binary frame. */
  binary(frame: Uint8Array): void
  /** A ping, a pong, or a piece of a message that is not its last: a sign of life. */
  alive(): void
  /**
   * The socket is gone, or never came to be: exactly once. `code` is the close code, 1006 where no close frame
   * came; `reason` says why in words, the socket's own error included.
   */
  closed(code: number, reason: string): void
}

/** One socket, from its dial on. */
export interface Socket {
  /** Sends a text frame. Without effect unless open. */
  send(frame: string): void
  /** Sends a ping. Without effect unless open. */
  ping(): void
  /** Says goodbye, and is gone soon, answered or not. */
  close(): void
  /** Is gone at once. */
  terminate(): void
}

export interface DialOptions {
  /** A longer frame ends the connection with 1009, in bytes. */
  readonly maxFrameBytes: number
}

/** Opens WebSockets, for one client. */
export interface WebSocketTransport {
  dial(url: string, options: DialOptions, listener: SocketListener): Socket
  /** Closes every socket; resolves when all are gone. */
  close(): Promise<void>
}

export interface HttpRequest {
  /** Scheme, host and port. */
  readonly origin: string
  /** The path as it is to be sent, with its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** A longer body is a `DecodeError`, in bytes. */
  readonly maxBodyBytes: number
}

export interface HttpResponse {
  readonly status: number
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: string
}

/** The first header of a name, which is in lower case. */
export const headerOf = ({ headers }: HttpResponse, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === 'string' ? value : value?.[0]
}

export type HttpAnswer = Either<NetworkError | DecodeError, HttpResponse>

/** Sends GET requests, for one client: follows no redirect, keeps connections alive. */
export interface HttpTransport {
  /** Sends a request, and calls `answered` once. Returns how it is aborted; what is told after that is not heard. */
  get(request: HttpRequest, answered: (answer: HttpAnswer) => void): () => void
  /** Ends all connections. */
  close(): Promise<void>
}
