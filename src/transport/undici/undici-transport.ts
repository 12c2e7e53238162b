import { left, right } from 'fp-ts/lib/Either.js'
import { Agent, type Dispatcher } from 'undici'
import { decodeError, networkError } from '../../errors/constructors.js'
import type { DecodeError } from '../../errors/model.js'
import type { HttpAnswer, HttpResponse, HttpTransport } from '../ports.js'
import { Body } from './body.js'

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
    get: ({ origin, path, headers, maxBodyBytes }, answered) => {
      const answer = new ResponseHandler(maxBodyBytes, answered)
      try {
        agent.dispatch({ origin, path, headers, method: 'GET' }, answer)
      } catch (thrown) {
        answer.onResponseError(undefined, thrown)
      }
      return () => answer.abort()
    },
    close: () => agent.destroy(),
  }
}

/** One answer, as it comes. */
class ResponseHandler implements Dispatcher.DispatchHandler {
  private readonly body = new Body()
  private status = 0
  private headers: HttpResponse['headers'] = {}
  private controller: Dispatcher.DispatchController | undefined
  private aborted = false

  constructor(
    private readonly maxBodyBytes: number,
    private readonly answered: (answer: HttpAnswer) => void,
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

  /** Not while undici is at work: who is told may close all of it. */
  private settle(answer: HttpAnswer): void {
    // By a promise: `queueMicrotask` costs three times as much.
    void resolved.then(() => this.answered(answer))
  }
}

const resolved = Promise.resolve()

const tooLong = (text: string, maxBytes: number): DecodeError =>
  decodeError('body', text, [{ path: '', expected: `at most ${maxBytes} bytes`, actual: 'more' }])
