import { left, right } from 'fp-ts/lib/Either.js'
import { networkError } from '../../src/base/errors/constructors.js'
import type {
  HttpResult,
  HttpRequest,
  HttpResponse,
  HttpTransport,
  OnHttpResult,
} from '../../src/wire/transport/ports.js'

export interface FakeRequest extends HttpRequest {
  readonly aborted: boolean
  /** Completes the request with a response. */
  readonly respond: (status: number, body: string, headers?: HttpResponse['headers']) => void
  /** Completes the request with a `NetworkError`. */
  readonly fail: (thrown: unknown) => void
  /** Completes the request with a `NetworkError` after which it may be repeated. */
  readonly lose: () => void
  readonly complete: (result: HttpResult) => void
}

/** An HTTP transport whose requests are completed by the test. */
export class FakeHttp implements HttpTransport {
  readonly requests: FakeRequest[] = []
  closeCalls = 0
  /** If set, `get` throws it, which a transport must not do. */
  thrownByGet: Error | undefined

  get(request: HttpRequest, onResult: OnHttpResult, onSent?: () => void): () => void {
    const fake = {
      ...request,
      aborted: false,
      respond: (status: number, body: string, headers: HttpResponse['headers'] = {}) =>
        onResult(right({ status, body, headers })),
      fail: (thrown: unknown) => onResult(left(networkError(thrown))),
      lose: () => onResult(left(networkError(new Error('closed'))), true),
      complete: onResult,
    }
    this.requests.push(fake)
    if (this.thrownByGet !== undefined) throw this.thrownByGet
    onSent?.()
    return () => {
      fake.aborted = true
    }
  }

  /** Returns a request by its number, from 1. */
  request(number: number): FakeRequest {
    const request = this.requests[number - 1]
    if (request === undefined) throw new Error(`there is no request ${number}`)
    return request
  }

  close(): Promise<void> {
    this.closeCalls++
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
