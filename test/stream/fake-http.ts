import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { networkError } from '../../src/errors/constructors.js'
import type { DecodeError, NetworkError } from '../../src/errors/model.js'
import type { HttpRequest, HttpResponse, HttpTransport } from '../../src/transport/transport.js'

type Answer = Either<NetworkError | DecodeError, HttpResponse>

export interface FakeRequest extends HttpRequest {
  readonly answers: (status: number, body: string, headers?: Readonly<Record<string, string>>) => void
  readonly answersWith: (answer: Answer) => void
  readonly fails: (thrown: unknown) => void
  /** As a transport must not: by a rejection. */
  readonly rejects: (thrown: unknown) => void
}

/** An HTTP transport whose requests a test answers by hand. */
export class FakeHttp implements HttpTransport {
  readonly requests: FakeRequest[] = []
  closed = 0

  get(request: HttpRequest): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.requests.push({
        ...request,
        answers: (status, body, headers = {}) => resolve(right({ status, body, headers })),
        answersWith: resolve,
        fails: (thrown) => resolve(left(networkError(thrown))),
        rejects: reject,
      })
    })
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
