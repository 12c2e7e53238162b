import type { Either } from 'fp-ts/lib/Either.js'
import type { Address } from '../../base/domain/topic.js'
import { decodeError } from '../../base/errors/constructors.js'
import type { DecodeError, NetworkError } from '../../base/errors/model.js'
import { oneLine } from '../../base/errors/text.js'

/** The close code of a connection that ended without a close frame (RFC 6455, section 7.4.1). */
export const noCloseFrame = 1006

/** The close code of a connection that delivered a message above `maxFrameBytes`. */
export const messageTooBig = 1009

// The ports: the interfaces of a WebSocket transport and an HTTP transport. A transport transfers bytes and reports
// events. The client implements deadlines, retries and decoding. A transport never throws.

/** The events of a socket. A transport calls one method at a time, none before `dial` has returned, none after `closed`. */
export interface SocketListener {
  /** The socket is open and accepts frames. */
  opened(): void
  /**
   * A text message as bytes from `start` to `end`, valid during this call only. Returns true if the message is handled;
   * otherwise the transport must call `text` with it. A transport may omit this call and use `text` only.
   */
  bytes(buffer: Uint8Array, start: number, end: number): boolean
  /** A text message. */
  text(frame: string): void
  /** A binary message. */
  binary(frame: Uint8Array): void
  /** A ping, a pong, or a non-final fragment of a message was received. */
  alive(): void
  /**
   * A pong was received; a transport then need not call `alive`. `payload`: the text that the ping contained. Without a
   * payload, pongs count as answers to the pings in order. Optional. Without this call, `maxLag` has no effect, and a
   * socket is replaced after a suspend of the machine.
   */
  pong?(payload?: string): void
  /**
   * The socket has closed, or the dial failed. Called exactly once. `code`: the close code; 1006 if no close frame was
   * received. `reason`: a text, which includes the socket's error. `refusal`: the HTTP response, if it refused the
   * upgrade. A transport may omit `refusal`; its `Retry-After` header then has no effect.
   */
  closed(code: number, reason: string, refusal?: Omit<HttpResponse, 'body'>): void
}

/** A gateway sends a pong with this payload before that to a ping, if it does not limit the age of its prices. */
export const unboundedPayload = 'unbounded'

export const notifyPong = (listener: SocketListener, payload?: string): void => {
  if (listener.pong === undefined) listener.alive()
  else listener.pong(payload)
}

/** One socket, from dial to close. */
export interface Socket {
  /**
   * The number of bytes that the socket has accepted and not yet passed to the operating system, like `bufferedAmount`
   * of a browser's WebSocket. While it is high, the client sends no further frames. The client terminates the socket if
   * the number does not fall within `pongTimeout`, and the service confirms no topic in this time. A transport may omit
   * it; the client then never delays frames.
   */
  readonly bufferedAmount?: number
  /** Sends a text frame. No effect unless the socket is open. */
  send(frame: string): void
  /**
   * Sends a ping with a payload of at most 20 ASCII characters. No effect unless the socket is open. A transport without pings
   * omits this method, such as that of a browser: the client then subscribes again to a topic, and waits for the answer.
   */
  readonly ping?: ((payload: string) => void) | undefined
  /** Starts the closing handshake. Closes after a short timeout if the service does not respond. */
  close(): void
  /** Closes immediately, without a close frame. */
  terminate(): void
}

export interface DialOptions {
  /** Maximum message size in bytes. A longer message closes the connection with 1009. */
  readonly maxFrameBytes: number
}

/** Opens the WebSockets of one client. */
export interface WebSocketTransport {
  dial(url: string, options: DialOptions, listener: SocketListener): Socket
  /** Closes every socket. Resolves when all are closed. */
  close(): Promise<void>
}

export interface HttpRequest {
  /** Scheme, host and port. */
  readonly origin: string
  /** The path to send, with its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Maximum body size in bytes. A longer body is a `DecodeError`. */
  readonly maxBodyBytes: number
  /** True if the request must not reuse a connection: it repeats a request that failed on one. Default: false. */
  readonly newConnection?: boolean
}

export interface HttpResponse {
  readonly status: number
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: string
}

export type ResponseHead = Omit<HttpResponse, 'body'>

/** The first value of a header. `name`: in lower case. */
export const headerOf = ({ headers }: ResponseHead, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === 'string' ? value : value?.[0]
}

/** The result of a request. */
export type HttpResult = Either<NetworkError | DecodeError, HttpResponse>

/** Sends the GET requests of one client. It follows no redirects and reuses connections. */
export interface HttpTransport {
  /**
   * Sends a request and calls `onResult` once. Returns a function that aborts the request; later calls are ignored.
   * `mayRepeat`: the request failed on a reused connection before any byte of its response; the client sends it once more,
   * with `newConnection`. Default: false. `onSent`: to be called when the request is written to its connection; a request
   * without this call counts as sent when it ends.
   */
  get(
    request: HttpRequest,
    onResult: (result: HttpResult, mayRepeat?: boolean) => void,
    onSent?: () => void,
  ): () => void
  /** Aborts every request and closes all connections. */
  close(): Promise<void>
}

export type OnHttpResult = Parameters<HttpTransport['get']>[1]

/** A socket of this package, which may measure the age of its data itself. Otherwise `maxLag` alone decides. */
export interface InternalSocket extends Socket {
  /**
   * False while the delivered data may be out of date, because newer data may not have been read. A new subscriber of a
   * topic then receives the last price later. `base`: for the data of this topic; otherwise for those of all topics, as far as
   * no message is lost.
   */
  readonly isCurrent?: (base?: Address) => boolean
}

/** The options of the default transport. */
export interface HttpTransportOptions {
  /** Maximum time to connect by TCP and TLS, in ms. */
  readonly connectTimeout: number
  /** The only PEM certificates to trust. `undefined`: the certificates of the platform. */
  readonly ca: string | undefined
}

/** The error of a body with an encoding that was not requested. */
export const encodedBody = (encoding: string): DecodeError =>
  decodeError('body', '', [{ path: '', expected: 'no content-encoding', actual: oneLine(encoding) }])

/** The error of a body that exceeds the limit. `text`: its beginning. */
export const bodyTooLong = (text: string, maxBytes: number): DecodeError =>
  decodeError('body', text, [{ path: '', expected: `at most ${maxBytes} bytes`, actual: 'more' }])
