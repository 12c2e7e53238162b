import { left, right } from 'fp-ts/lib/Either.js'
import { networkError } from '../../src/errors/constructors.js'
import type { HttpAnswer, HttpRequest, HttpResponse, HttpTransport } from '../../src/transport/ports.js'

export interface FakeRequest extends HttpRequest {
  /** Whether it was aborted. */
  readonly aborted: boolean
  readonly answers: (status: number, body: string, headers?: HttpResponse['headers']) => void
  readonly answersWith: (answer: HttpAnswer) => void
  readonly fails: (thrown: unknown) => void
}

/** An HTTP transport whose requests a test answers by hand. */
export class FakeHttp implements HttpTransport {
  readonly requests: FakeRequest[] = []
  closed = 0
  /** What `get` throws, as a transport must not. */
  throws: Error | undefined

  get(request: HttpRequest, answered: (answer: HttpAnswer) => void): () => void {
    const fake = {
      ...request,
      aborted: false,
      answers: (status: number, body: string, headers: HttpResponse['headers'] = {}) =>
        answered(right({ status, body, headers })),
      answersWith: answered,
      fails: (thrown: unknown) => answered(left(networkError(thrown))),
    }
    this.requests.push(fake)
    if (this.throws !== undefined) throw this.throws
    return () => {
      fake.aborted = true
    }
  }

  /** The request of a number, from 1. */
  request(number: number): FakeRequest {
    const request = this.requests[number - 1]
    if (request === undefined) throw new Error(`there is no request ${number}`)
    return request
  }

  close(): Promise<void> {
    this.closed++
    return Promise.resolve()
  }
}

export const depthBody = (price = 2.5): string =>
  JSON.stringify({
    price,
    timestamp: 1_700_000_000_000,
    buy: { total_quantity: 1, total_quantity_usd: 2 },
    sell: { total_quantity: 3, total_quantity_usd: 4 },
  })
