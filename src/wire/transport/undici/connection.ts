import { isLeft, left, type Either } from 'fp-ts/lib/Either.js'
import type { buildConnector, Client, Dispatcher } from 'undici/index.js'
import { noCancel, type Cancel } from '../../../base/task/cancellable-task.js'
import type { UndiciPackage } from '../packages.js'
import type { HttpTransportOptions } from '../ports.js'
import net, { type Socket } from 'node:net'
import tls from 'node:tls'
import { responsiveDeadline } from '../../../base/time/timers.js'
import { dialHost, realClock } from '../dial-host.js'

/**
 * Time that an idle connection is kept if the service does not announce its own limit, in ms. undici's default of 4 s is shorter
 * than the usual interval of a poll. A request on a connection that the service has closed meanwhile is repeated on a new one.
 */
const keepAliveTimeout = 120_000

/** One HTTP connection, with one request at a time. */
export class Connection {
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

/** Idle time before TCP sends its first keep-alive probe, in ms. */
const keepAliveDelay = 60_000

/**
 * Unlike undici's connector, it can be cancelled and reaches each address of a name. Calls `onResult` at most once,
 * asynchronously.
 */
export const dialTarget = (
  { errors }: UndiciPackage,
  { ca, connectTimeout }: HttpTransportOptions,
  target: buildConnector.Options,
  onResult: (result: Either<Error, Socket>) => void,
): Cancel => {
  const { hostname, protocol } = target
  const isTls = protocol === 'https:'
  const port = Number(target.port) || (isTls ? 443 : 80)
  const open = (host: string): Socket => {
    const socket = isTls ? connectTls(target, host, port, ca) : net.connect({ host, port })
    return socket.setKeepAlive(true, keepAliveDelay).setNoDelay(true)
  }
  const timer = responsiveDeadline(realClock, connectTimeout, () => {
    cancel()
    const message = `no connection to ${hostname}:${port} (timeout: ${connectTimeout}ms)`
    onResult(left(new errors.ConnectTimeoutError(message)))
  })
  const cancelAttempts = dialHost(hostname, open, isTls ? 'secureConnect' : 'connect', (result) => {
    timer.unsubscribe()
    onResult(result)
  })
  const cancel = (): void => {
    timer.unsubscribe()
    cancelAttempts()
  }
  return cancel
}

const connectTls = (
  { hostname, servername }: buildConnector.Options,
  host: string,
  port: number,
  ca: string | undefined,
): Socket =>
  tls.connect({
    host,
    port,
    ALPNProtocols: ['http/1.1'],
    // TLS forbids IP addresses as server names.
    servername: servername ?? (net.isIP(hostname) === 0 ? hostname : ''),
    ...(ca === undefined ? {} : { ca }),
  })
