import { left, right } from 'fp-ts/lib/Either.js'
import type { Dispatcher } from 'undici/index.js'
import { networkError } from '../../../base/errors/constructors.js'
import type { UndiciPackage } from '../packages.js'
import {
  bodyTooLong,
  encodedBody,
  type HttpTransport,
  type HttpResult,
  type HttpResponse,
  type HttpTransportOptions,
  type OnHttpResult,
} from '../ports.js'
import { Connection } from './connection.js'

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
