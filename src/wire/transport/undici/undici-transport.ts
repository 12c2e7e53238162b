import { left, right } from 'fp-ts/lib/Either.js'
import type { Client, Dispatcher, Pool } from 'undici/index.js'
import { networkError } from '../../../base/errors/constructors.js'
import { causeOf } from '../../../base/errors/failure-cause.js'
import type { UndiciPackage } from '../packages.js'
import {
  bodyTooLong,
  encodedBody,
  type InternalHttpTransport,
  type HttpResult,
  type HttpResponse,
  type HttpTransportOptions,
  type OnHttpResult,
} from '../ports.js'
import { connectionClients, type RequestOptions, type Connection } from './connection.js'
import { Dialer } from './dialer.js'

/**
 * Minimum of the limit of connections to one origin. It exceeds the default of concurrent requests, because the
 * connection of an aborted request may still be closing or dialling.
 */
const minConnections = 256

/** HTTP over `undici`, with one pool of connections for each origin. */
export const undiciTransport = (
  undici: UndiciPackage,
  options: HttpTransportOptions,
): InternalHttpTransport => {
  const dialer = new Dialer(undici, options)
  const createConnectionClient = connectionClients(undici)
  const connections = Math.max(minConnections, 2 * options.maxConcurrentRequests)
  const pools = new Map<string, Pool>()
  /** Connections outside of the pools, of one request each. */
  const singles = new Set<Client>()
  let isClosed = false

  const poolOf = (origin: string): Pool => {
    const pool =
      pools.get(origin) ??
      new undici.Pool(origin, { connections, factory: (url) => createConnectionClient(url, dialer) })
    pools.set(origin, pool)
    return pool
  }

  const dispatch = (options: RequestOptions, handler: ResponseHandler, newConnection: boolean): void => {
    if (isClosed) throw new undici.errors.ClientDestroyedError()
    const { origin = '' } = options
    if (!newConnection) {
      poolOf(String(origin)).dispatch(options, handler)
      return
    }
    const single = createConnectionClient(origin, dialer)
    singles.add(single)
    single.dispatch(options, handler)
    void single.close().then(() => singles.delete(single))
  }

  return {
    callsOnSent: true,
    get: ({ origin, path, headers, maxBodyBytes, newConnection = false, onSent }, onResult) => {
      const handler = new ResponseHandler(maxBodyBytes, onSent, onResult)
      const onConnection: RequestOptions['onConnection'] = (connection) => handler.onConnection(connection)
      try {
        dispatch({ origin, path, headers, method: 'GET', onConnection }, handler, newConnection)
      } catch (thrown) {
        handler.onResponseError(undefined, thrown)
      }
      return () => handler.abort()
    },
    close: async () => {
      isClosed = true
      const dispatchers: readonly Dispatcher[] = [...pools.values(), ...singles]
      await Promise.all([...dispatchers.map((each) => each.destroy()), dialer.close()])
    },
  }
}

/** Collects one response. */
class ResponseHandler implements Dispatcher.DispatchHandler {
  /** One character for each byte: many small pieces as bytes would retain the buffers that they were read into. */
  private body = ''
  private status = 0
  private headers: HttpResponse['headers'] = {}
  private connection: Connection | undefined
  private controller: Dispatcher.DispatchController | undefined
  private isAborted = false
  private isSettled = false

  constructor(
    private readonly maxBodyBytes: number,
    private readonly onSent: (() => void) | undefined,
    private readonly onResult: OnHttpResult,
  ) {}

  abort(): void {
    if (this.isSettled) return
    this.isAborted = true
    const reason = new DOMException('the request was aborted', 'AbortError')
    if (this.controller === undefined) this.connection?.abortDial(reason)
    else this.controller.abort(reason)
  }

  onConnection(connection: Connection): void {
    this.connection = connection
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    this.connection?.start()
    if (this.isAborted) this.abort()
    else this.onSent?.()
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: HttpResponse['headers'],
  ): void {
    this.status = status
    this.headers = headers
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { maxBodyBytes } = this
    this.body += chunk.toString('latin1')
    if (this.body.length <= maxBodyBytes) return
    this.settle(left(bodyTooLong(this.text, maxBodyBytes)))
    // Stops reading, because the body may be endless.
    controller.abort(new Error('the body is too long'))
  }

  onResponseEnd(): void {
    const { status, headers } = this
    // A body without a length ends with its connection. After a reset undici accepts the part that has arrived.
    const failure = this.connection?.failure
    if (failure !== undefined) return this.settle(left(networkError(failure)))
    this.connection?.complete()
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
    const isOwnEnd = this.isAborted || causeOf(thrown).code === 'UND_ERR_DESTROYED'
    this.settle(left(networkError(thrown)), !isOwnEnd && this.connection?.isLost === true)
  }

  /** Calls `onResult` asynchronously, because it may close the client while undici runs this handler. */
  private settle(result: HttpResult, mayRepeat = false): void {
    if (this.isSettled) return
    this.isSettled = true
    // A resolved promise, because `queueMicrotask` is three times slower.
    void resolved.then(() => this.onResult(result, mayRepeat))
  }
}

const resolved = Promise.resolve()
