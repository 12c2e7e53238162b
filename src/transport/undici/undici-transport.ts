import { left, right } from 'fp-ts/lib/Either.js'
import { Agent, type Dispatcher } from 'undici'
import { decodeError, networkError } from '../../errors/constructors.js'
import type { DecodeError } from '../../errors/model.js'
import type { HttpAnswer, HttpResponse, HttpTransport } from '../ports.js'
import { Body } from './body.js'

export interface UndiciOptions {
  /** The only PEM certificates to trust; default: Node's certificates. */
  readonly ca: string | undefined
  /** Maximum time to connect by TCP and TLS, in ms. */
  readonly connectTimeout: number
}

/** Maximum connections to one origin. Allows many concurrent polls without exhausting file descriptors. */
const connections = 256

/** HTTP over `undici`. The caller aborts a request at its deadline, so undici's timeouts are disabled. */
export const undiciTransport = ({ ca, connectTimeout }: UndiciOptions): HttpTransport => {
  const agent = new Agent({
    connections,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: connectTimeout, ...(ca === undefined ? {} : { ca }) },
  })

  return {
    get: ({ origin, path, headers, maxBodyBytes }, onResult) => {
      const handler = new ResponseHandler(maxBodyBytes, onResult)
      try {
        agent.dispatch({ origin, path, headers, method: 'GET' }, handler)
      } catch (thrown) {
        handler.onResponseError(undefined, thrown)
      }
      return () => handler.abort()
    },
    close: () => agent.destroy(),
  }
}

/** Collects one response. */
class ResponseHandler implements Dispatcher.DispatchHandler {
  private readonly body = new Body()
  private status = 0
  private headers: HttpResponse['headers'] = {}
  private controller: Dispatcher.DispatchController | undefined
  private aborted = false

  constructor(
    private readonly maxBodyBytes: number,
    private readonly onResult: (result: HttpAnswer) => void,
  ) {}

  abort(): void {
    this.aborted = true
    this.controller?.abort(new DOMException('the request was aborted', 'AbortError'))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    if (this.aborted) this.abort()
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
    this.body.add(chunk)
    if (this.body.size <= maxBodyBytes) return
    this.settle(left(bodyTooLong(this.body.toString(), maxBodyBytes)))
    // Stops reading, because the body may be endless.
    controller.abort(new Error('the body is too long'))
  }

  onResponseEnd(): void {
    const { status, headers, body } = this
    this.settle(right({ status, headers, body: body.toString() }))
  }

  onResponseError(_controller: unknown, thrown: unknown): void {
    this.settle(left(networkError(thrown)))
  }

  /** Calls `onResult` asynchronously, because it may close the agent while undici runs this handler. */
  private settle(result: HttpAnswer): void {
    // A resolved promise, because `queueMicrotask` is three times slower.
    void resolved.then(() => this.onResult(result))
  }
}

const resolved = Promise.resolve()

const bodyTooLong = (text: string, maxBytes: number): DecodeError =>
  decodeError('body', text, [{ path: '', expected: `at most ${maxBytes} bytes`, actual: 'more' }])
