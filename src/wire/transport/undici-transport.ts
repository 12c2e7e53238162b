import type { Socket } from 'node:net'
import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import type { buildConnector, Client, Dispatcher } from 'undici/index.js'
import { networkError } from '../../base/errors/constructors.js'
import { noCancel } from '../../base/task/cancellable-task.js'
import { dialTarget } from './dial-host.js'
import type { UndiciPackage } from './undici-package.js'
import {
  bodyTooLong,
  encodedBody,
  type HttpTransport,
  type HttpResult,
  type HttpResponse,
  type HttpTransportOptions,
  type OnHttpResult,
} from './ports.js'

/**
 * Time that an idle connection is kept if the service does not announce its own limit, in ms. undici's default of 4 s is shorter
 * than the usual interval of a poll. A request on a connection that the service has closed meanwhile is repeated on a new one.
 */
const keepAliveTimeout = 120_000

/** HTTP over `undici`, whose connections are kept for later requests. */
export const undiciTransport = (undici: UndiciPackage, options: HttpTransportOptions): HttpTransport => {
  const connections = new Set<Connection>()
  let isClosed = false

  const idleTo = (origin: string): Connection | undefined => {
    for (const connection of connections) {
      if (connection.isUnused) connections.delete(connection)
      else if (connection.isIdle && connection.origin === origin) return connection
    }
    return undefined
  }

  return {
    get: ({ origin, path, headers, maxBodyBytes, newConnection = false }, onResult, onSent) => {
      const connection =
        (newConnection ? undefined : idleTo(origin)) ?? new Connection(undici, options, origin)
      const handler = new ResponseHandler(connection, maxBodyBytes, onResult, onSent)
      connections.add(connection)
      try {
        if (isClosed) throw new undici.errors.ClientDestroyedError()
        connection.dispatch({ origin, path, headers, method: 'GET' }, handler)
      } catch (thrown) {
        handler.onResponseError(undefined, thrown)
      }
      return () => handler.abort()
    },
    close: async () => {
      isClosed = true
      const reason = new undici.errors.ClientDestroyedError()
      await Promise.all(Array.from(connections, (connection) => connection.destroy(reason)))
    },
  }
}

/** One HTTP connection, with one request at a time. */
class Connection {
  private readonly client: Client
  private socket: Socket | undefined
  private cancelDial = noCancel
  private isBusy = false
  private isDestroyed = false
  /** True if the socket has brought a whole response. */
  private hasResponded = false
  /** True if a byte has arrived since the current request was sent. */
  private hasReceived = false
  private interim = new InterimResponses()

  constructor(
    private readonly undici: UndiciPackage,
    private readonly options: HttpTransportOptions,
    readonly origin: string,
  ) {
    // The caller of a request aborts it at its deadline.
    const { connect } = this
    this.client = new undici.Client(origin, { headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout, connect })
  }

  /** True if its socket is open and waits for a request. */
  get isIdle(): boolean {
    return !this.isBusy && this.socket?.destroyed === false
  }

  /** True if it has no request and will have none, because its socket is closed. */
  get isUnused(): boolean {
    return !this.isBusy && !this.isIdle
  }

  /** True if the socket was reused for the current request, and has closed before any byte of the response. */
  get isLost(): boolean {
    return this.hasResponded && !this.hasReceived && this.socket?.destroyed === true && !this.isDestroyed
  }

  /** The error that has closed the socket, for example a reset. */
  get failure(): Error | undefined {
    return this.socket?.errored ?? undefined
  }

  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.isBusy = true
    this.hasReceived = false
    this.client.dispatch(options, handler)
  }

  /** The request is written to the socket now. */
  onSent(): void {
    this.hasReceived = false
    this.interim.expect()
  }

  /** The request has ended. A connection without a complete response is closed. */
  onEnd(isComplete: boolean): void {
    this.isBusy = false
    this.hasResponded = isComplete
    if (!isComplete) void this.destroy()
  }

  /** Ends the dial, the request and the socket. Resolves when the socket is closed. `reason`: the error of the request. */
  async destroy(reason: Error | null = null): Promise<void> {
    this.isDestroyed = true
    this.cancelDial()
    await this.client.destroy(reason)
  }

  private readonly connect = (target: buildConnector.Options, callback: buildConnector.Callback): void => {
    this.hasResponded = false
    this.interim = new InterimResponses()
    this.cancelDial = dialTarget(this.undici, this.options, target, (result) => {
      if (isLeft(result)) return callback(result.left, null)
      this.socket = result.right
      this.filter(this.socket)
      callback(null, this.socket)
    })
  }

  /** Removes the interim responses from the data that the socket passes to undici. */
  private filter(socket: Socket): void {
    const { interim } = this
    const push = socket.push.bind(socket)
    socket.push = (bytes: Buffer | null) => {
      if (bytes === null) return push(null)
      this.hasReceived = true
      const passed = interim.read(bytes)
      // An empty push would end a pending read.
      return passed.length === 0 || push(passed)
    }
  }
}

class ResponseHandler implements Dispatcher.DispatchHandler {
  /** One character for each byte: many small pieces as bytes would retain the buffers that they were read into. */
  private body = ''
  private status = 0
  private headers: HttpResponse['headers'] = {}
  private isComplete = false
  private isSettled = false

  constructor(
    private readonly connection: Connection,
    private readonly maxBodyBytes: number,
    private readonly onResult: OnHttpResult,
    private readonly onSent: (() => void) | undefined,
  ) {}

  abort(): void {
    if (!this.isSettled)
      void this.connection.destroy(new DOMException('the request was aborted', 'AbortError'))
  }

  onRequestStart(): void {
    this.connection.onSent()
    this.onSent?.()
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: HttpResponse['headers'],
  ): void {
    this.status = status
    this.headers = headers
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { maxBodyBytes } = this
    if (this.isSettled) return
    this.body += chunk.toString('latin1')
    if (this.body.length > maxBodyBytes) this.settle(left(bodyTooLong(this.text, maxBodyBytes)))
  }

  onResponseEnd(): void {
    const { status, headers } = this
    // A body without a length ends with its connection. After a reset undici accepts the part that has arrived.
    const { failure } = this.connection
    if (failure !== undefined) return this.settle(left(networkError(failure)))
    this.isComplete = true
    const { 'content-encoding': encoding = 'identity' } = headers
    if (String(encoding).toLowerCase() !== 'identity') return this.settleEncoded(String(encoding))
    this.settle(right({ status, headers, body: this.text }))
  }

  private get text(): string {
    return Buffer.from(this.body, 'latin1').toString()
  }

  /** undici decodes no body. The status of an error is known all the same. */
  private settleEncoded(encoding: string): void {
    const { status, headers } = this
    const error = encodedBody(encoding)
    this.settle(status === 200 ? left(error) : right({ status, headers, body: error.message }))
  }

  onResponseError(_controller: unknown, thrown: unknown): void {
    this.settle(left(networkError(thrown)), this.connection.isLost)
  }

  /** Calls `onResult` asynchronously, because it may close the client while undici runs this handler. */
  private settle(result: HttpResult, mayRepeat = false): void {
    if (this.isSettled) return
    this.isSettled = true
    // A resolved promise, because `queueMicrotask` is three times slower.
    void resolved.then(() => {
      this.connection.onEnd(this.isComplete)
      this.onResult(result, mayRepeat)
    })
  }
}

const resolved = Promise.resolve()

const noBytes: Buffer = Buffer.alloc(0)

/**
 * Removes the interim responses (status 1xx) before a response, because undici rejects `100 Continue`. Call `expect` when
 * a request is sent, and pass every following byte to `read`. Any other response passes unchanged, and so does status 101,
 * because the client requests no other protocol.
 */
export class InterimResponses {
  /** The beginning of a response that may be interim; `undefined` after the beginning of another one. */
  private held: Buffer | undefined

  /** A response is expected: the next byte is its first. */
  expect(): void {
    this.held = noBytes
  }

  /** Returns the bytes to pass on. */
  read(bytes: Buffer): Buffer {
    if (this.held === undefined) return bytes
    let rest = this.held.length === 0 ? bytes : Buffer.concat([this.held, bytes])
    let end = 0
    while (isInterim(rest) && end >= 0) {
      end = rest.indexOf(endOfHeaders)
      if (end >= 0) rest = rest.subarray(end + endOfHeaders.length)
    }
    const isUndecided = rest.length < startLength || isInterim(rest)
    this.held = isUndecided && rest.length <= maxLength ? Buffer.from(rest) : undefined
    return this.held === undefined ? rest : noBytes
  }
}

const endOfHeaders = Buffer.from('\r\n\r\n')

/** The longest interim response that is removed, in bytes: the limit of undici for a response without its body. */
const maxLength = 16_384

/** The first bytes of an interim response, up to the byte after its status. */
const interimStart = /^HTTP\/1\.[01] 1(?!01)\d\d[ \r]/
const startLength = 'HTTP/1.1 100 '.length

const isInterim = (bytes: Buffer): boolean => interimStart.test(bytes.toString('latin1', 0, startLength))
