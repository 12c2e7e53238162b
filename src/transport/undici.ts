import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { Agent, type Dispatcher } from 'undici'
import { decodeError, networkError } from '../errors/constructors.js'
import type { DecodeError, NetworkError } from '../errors/model.js'
import { Body } from './body.js'
import type { HttpRequest, HttpResponse, HttpTransport } from './transport.js'

export interface UndiciOptions {
  /** PEM certificates to trust; default: Node's own. */
  readonly ca: string | undefined
  /** The longest time for TCP and TLS to connect, in ms. */
  readonly connectTimeout: number
}

/** Connections to one origin at the most: many polls at once, and yet no descriptor famine. */
const connections = 256

/** HTTP by `undici`. Deadlines come from the caller's signal, so undici's own are off. */
export const undiciTransport = ({ ca, connectTimeout }: UndiciOptions): HttpTransport => {
  const agent = new Agent({
    connections,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: connectTimeout, ...(ca === undefined ? {} : { ca }) },
  })

  return {
    get: (request) =>
      new Promise((resolve) => {
        const answer = new Answer(request, resolve)
        try {
          const { origin, path, headers } = request
          agent.dispatch({ origin, path, headers, method: 'GET' }, answer)
        } catch (thrown) {
          answer.onResponseError(undefined, thrown)
        }
      }),
    close: () => agent.destroy(),
  }
}

/** One answer, as it comes. */
class Answer implements Dispatcher.DispatchHandler {
  private readonly body = new Body()
  private status = 0
  private headers: HttpResponse['headers'] = {}
  private controller: Dispatcher.DispatchController | undefined

  constructor(
    private readonly request: HttpRequest,
    private readonly resolve: (answer: Either<NetworkError | DecodeError, HttpResponse>) => void,
  ) {
    request.signal.addEventListener('abort', this.abort)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    if (this.request.signal.aborted) this.abort()
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    this.status = status
    this.headers = firstOfEach(headers)
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { maxBodyBytes } = this.request
    this.body.add(chunk)
    if (this.body.size <= maxBodyBytes) return
    this.settle(left(tooLong(this.body.toString(), maxBodyBytes)))
    // A peer that streams for ever is not read any further.
    controller.abort(new Error('the body is too long'))
  }

  onResponseEnd(): void {
    const { status, headers, body } = this
    this.settle(right({ status, headers, body: body.toString() }))
  }

  onResponseError(_controller: unknown, thrown: unknown): void {
    this.settle(left(networkError(thrown)))
  }

  private readonly abort = (): void => {
    this.controller?.abort(new DOMException('the request was aborted', 'AbortError'))
  }

  private settle(answer: Either<NetworkError | DecodeError, HttpResponse>): void {
    this.request.signal.removeEventListener('abort', this.abort)
    this.resolve(answer)
  }
}

const tooLong = (text: string, maxBytes: number): DecodeError =>
  decodeError('body', text, [{ path: '', expected: `at most ${maxBytes} bytes`, actual: 'more' }])

const firstOfEach = (
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  )
