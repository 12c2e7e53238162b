import { left, right } from 'fp-ts/lib/Either.js'
import type { Dispatcher } from 'undici/index.js'
import { networkError } from '../../errors/constructors.js'
import { causeOf } from '../../errors/failure-cause.js'
import { bodyTooLong } from '../body-too-long.js'
import type { HttpAnswer, HttpResponse, OnHttpResult } from '../ports.js'
import { Body } from './body.js'
import type { Connection } from './connection.js'

/** Collects one response. */
export class ResponseHandler implements Dispatcher.DispatchHandler {
  private readonly body = new Body()
  private status = 0
  private headers: HttpResponse['headers'] = {}
  private connection: Connection | undefined
  private controller: Dispatcher.DispatchController | undefined
  private isAborted = false
  private isSettled = false

  constructor(
    private readonly maxBodyBytes: number,
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
    // A body without a length ends with its connection. After a reset undici accepts the part that has arrived.
    const failure = this.connection?.failure
    if (failure !== undefined) return this.settle(left(networkError(failure)))
    this.connection?.complete()
    this.settle(right({ status, headers, body: body.toString() }))
  }

  onResponseError(_controller: unknown, thrown: unknown): void {
    const isOwnEnd = this.isAborted || causeOf(thrown).code === 'UND_ERR_DESTROYED'
    this.settle(left(networkError(thrown)), !isOwnEnd && this.connection?.isLost === true)
  }

  /** Calls `onResult` asynchronously, because it may close the client while undici runs this handler. */
  private settle(result: HttpAnswer, mayRepeat = false): void {
    if (this.isSettled) return
    this.isSettled = true
    // A resolved promise, because `queueMicrotask` is three times slower.
    void resolved.then(() => this.onResult(result, mayRepeat))
  }
}

const resolved = Promise.resolve()
