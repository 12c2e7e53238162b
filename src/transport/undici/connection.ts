import type { Socket } from 'node:net'
import { isLeft } from 'fp-ts/lib/Either.js'
import type { buildConnector, Client, Dispatcher } from 'undici/index.js'
import type { Dialer } from './dialer.js'
import { InterimResponses } from './interim-responses.js'
import type { UndiciModules } from '../packages.js'

/** The options of a request: `onConnection` is called with the connection that will send it. */
export interface RequestOptions extends Dispatcher.DispatchOptions {
  readonly onConnection: (connection: Connection) => void
}

/** Creates an undici `Client`: one connection at a time with one request at a time. It connects again when its socket has closed. */
export type CreateConnectionClient = (origin: string | URL, dialer: Dialer) => Client

export const connectionClients = ({ Client: UndiciClient }: UndiciModules): CreateConnectionClient => {
  class ConnectionClient extends UndiciClient {
    private readonly connection: Connection

    constructor(origin: string | URL, dialer: Dialer) {
      const connection = new Connection(dialer)
      // The caller of a request aborts it at its deadline.
      super(origin, { headersTimeout: 0, bodyTimeout: 0, connect: connection.connect })
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

/** The socket of such a client, and what has happened on it. */
export class Connection {
  private socket: Socket | undefined
  private isConnecting = false
  /** True if the socket has brought a whole response. */
  private hasAnswered = false
  /** True if a byte has arrived since the current request was assigned. */
  private hasReceived = false
  private interim = new InterimResponses()

  constructor(private readonly dialer: Dialer) {}

  /** True if the socket was reused for the current request, and has closed before any byte of the response. */
  get isLost(): boolean {
    return this.hasAnswered && !this.hasReceived && this.socket?.destroyed === true
  }

  /** The error that has closed the socket, for example a reset. */
  get failure(): Error | undefined {
    return this.socket?.errored ?? undefined
  }

  /** Connects. undici calls it as its connector. */
  readonly connect = (target: buildConnector.Options, callback: buildConnector.Callback): void => {
    this.hasAnswered = false
    this.isConnecting = true
    this.interim = new InterimResponses()
    this.socket = this.dialer.dial(target, (...result) => {
      this.isConnecting = false
      callback(...result)
    })
    this.filter(this.socket)
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
    this.hasAnswered = true
  }

  /** Closes the socket if it is still connecting. undici aborts a request only after that. */
  abortDial(reason: Error): void {
    if (this.isConnecting) this.socket?.destroy(reason)
  }

  /** Removes the interim responses from what the socket passes to undici. */
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
