import type { Socket } from 'node:net'
import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import type { buildConnector, Client, Dispatcher } from 'undici/index.js'
import type { CancelDial, Dialer } from './dialer.js'
import type { UndiciPackage } from '../packages.js'

/** The options of a request: `onConnection` is called with the connection that will send it. */
export interface RequestOptions extends Dispatcher.DispatchOptions {
  readonly onConnection: (connection: Connection) => void
}

/** Creates an undici `Client`: one connection at a time with one request at a time. It connects again when its socket has closed. */
export type CreateConnectionClient = (origin: string | URL, dialer: Dialer) => Client

/**
 * Time that an idle connection is kept if the service does not announce its own limit, in ms. undici's default of 4 s is shorter
 * than the usual interval of a poll. A request on a connection that the service has closed meanwhile is repeated on a new one.
 */
const keepAliveTimeout = 120_000

export const connectionClients = ({ Client: UndiciClient }: UndiciPackage): CreateConnectionClient => {
  class ConnectionClient extends UndiciClient {
    private readonly connection: Connection

    constructor(origin: string | URL, dialer: Dialer) {
      const connection = new Connection(dialer)
      // The caller of a request aborts it at its deadline.
      super(origin, { headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout, connect: connection.connect })
      this.connection = connection
    }

    override dispatch(options: RequestOptions, handler: Dispatcher.DispatchHandler): boolean {
      this.connection.assign()
      options.onConnection(this.connection)
      return super.dispatch(options, handler)
    }
  }
  return (origin, dialer) => new ConnectionClient(origin, dialer)
}

/** The socket of such a client, and its state. */
export class Connection {
  private socket: Socket | undefined
  private cancelDial: CancelDial | undefined
  /** True if the socket has brought a whole response. */
  private hasResponded = false
  /** True if a byte has arrived since the current request was assigned. */
  private hasReceived = false
  private interim = new InterimResponses()

  constructor(private readonly dialer: Dialer) {}

  /** True if the socket was reused for the current request, and has closed before any byte of the response. */
  get isLost(): boolean {
    return this.hasResponded && !this.hasReceived && this.socket?.destroyed === true
  }

  /** The error that has closed the socket, for example a reset. */
  get failure(): Error | undefined {
    return this.socket?.errored ?? undefined
  }

  /** Connects. undici calls it as its connector. */
  readonly connect = (target: buildConnector.Options, callback: buildConnector.Callback): void => {
    this.hasResponded = false
    this.interim = new InterimResponses()
    this.cancelDial = this.dialer.dial(target, (result) => {
      this.cancelDial = undefined
      if (isLeft(result)) return callback(result.left, null)
      this.socket = result.right
      this.filter(this.socket)
      callback(null, this.socket)
    })
  }

  /** A request will be sent on this connection. */
  assign(): void {
    this.hasReceived = false
  }

  /** The request is sent now. */
  start(): void {
    this.hasReceived = false
    this.interim.expect()
  }

  /** The response is complete. */
  complete(): void {
    this.hasResponded = true
  }

  /** Ends a dial in progress. undici aborts a request only after that. */
  abortDial(reason: Error): void {
    this.cancelDial?.(reason)
  }

  /** Removes the interim responses from the data that the socket passes to undici. */
  private filter(socket: Socket): void {
    const { interim } = this
    const push = socket.push.bind(socket)
    socket.push = (bytes: Buffer | null) => {
      this.hasReceived ||= bytes !== null
      if (!interim.isActive) return push(bytes)
      if (bytes === null) {
        const rest = interim.end()
        if (rest.length > 0) push(rest)
        return push(null)
      }
      const passed = interim.read(bytes)
      if (isLeft(passed)) {
        socket.destroy(passed.left)
        return false
      }
      // An empty push would end a pending read.
      return passed.right.length === 0 || push(passed.right)
    }
  }
}

/**
 * Removes the interim responses (status 1xx) before a response, because undici rejects `100 Continue`. Call `expect` when
 * a request is sent, and pass every following byte to `read`. A response other than 1xx passes unchanged, and
 * after its first bytes `isActive` is false. Status 101 is an error, because the client requests no other protocol.
 */
export class InterimResponses {
  /** False if `read` returns its argument unchanged. */
  isActive = false
  /** The beginning of a response whose status is unknown, or of an interim response. */
  private held = noBytes

  /** A response is expected: the next byte is its first. */
  expect(): void {
    this.isActive = true
    this.held = noBytes
  }

  /** Returns the bytes to pass on, or an error after which the connection must be closed. */
  read(bytes: Buffer): Either<Error, Buffer> {
    if (!this.isActive) return right(bytes)
    let rest = this.held.length === 0 ? bytes : Buffer.concat([this.held, bytes])
    this.held = noBytes
    while (rest.length < startLength || isInterim(rest)) {
      if (isInterim(rest, '101')) return left(new Error('unexpected response: 101 Switching Protocols'))
      const end = rest.length < startLength ? -1 : rest.indexOf(endOfHeaders)
      if (end < 0) {
        this.held = Buffer.from(rest)
        return rest.length > maxLength ? left(new Error('an interim response is too long')) : right(noBytes)
      }
      rest = rest.subarray(end + endOfHeaders.length)
    }
    this.isActive = false
    return right(rest)
  }

  /** The connection has ended. Returns the bytes that `read` has kept, unless they are of an interim response. */
  end(): Buffer {
    this.isActive = false
    return isInterim(this.held) ? noBytes : this.held
  }
}

const noBytes: Buffer = Buffer.alloc(0)

const endOfHeaders = Buffer.from('\r\n\r\n')

/** The maximum length of an interim response, in bytes: that of undici for a response without its body. */
const maxLength = 16_384

/** The first bytes of an interim response, up to the byte after its status. */
const interimStart = /^HTTP\/1\.[01] (1\d\d)[ \r]/
const startLength = 'HTTP/1.1 100 '.length

/** `status`: default any. */
const isInterim = (bytes: Buffer, status?: string): boolean => {
  const [, found] = interimStart.exec(bytes.toString('latin1', 0, startLength)) ?? []
  return found !== undefined && found === (status ?? found)
}
