import { isLeft } from 'fp-ts/lib/Either.js'
import { dialedFetch } from '../../backtest/history/dialed-fetch.js'
import { endpointOf, type Endpoint } from '../../base/domain/endpoint.js'
import type { InternalHttpTransport } from '../../wire/transport/ports.js'

/**
 * The HTTP addresses of gateways that serve the same. A request goes to the one that answered last. If that gateway gives no
 * response, the request goes to the next one. A response with any status is one.
 */
export class Gateways {
  private readonly endpoints: readonly [Endpoint, ...Endpoint[]]
  private current = 0

  /** `isSigned`: a signature contains the path, so gateways with another path or query than the first one receive no request. */
  constructor([first, ...others]: readonly [string, ...string[]], isSigned: boolean) {
    const endpoint = endpointOf(new URL(first))
    const next = others.map((url) => endpointOf(new URL(url)))
    const hasSamePath = ({ prefix, query }: Endpoint): boolean =>
      prefix === endpoint.prefix && query === endpoint.query
    this.endpoints = [endpoint, ...(isSigned ? next.filter(hasSamePath) : next)]
  }

  /** A transport for requests to the first gateway. */
  transport(http: InternalHttpTransport): InternalHttpTransport {
    return {
      callsOnSent: true,
      get: (request, onResult) => {
        let isAborted = false
        let abort: () => void
        const send = (others: number): void => {
          const { current } = this
          const target = { ...request, ...this.targetAt(current, request.path) }
          abort = http.get(target, (result, mayRepeat) => {
            if (isLeft(result) && result.left._tag === 'NetworkError' && mayRepeat !== true) {
              this.leave(current)
              if (others > 0 && !isAborted) return send(others - 1)
            }
            onResult(result, mayRepeat)
          })
        }
        send(this.endpoints.length - 1)
        return () => {
          isAborted = true
          abort()
        }
      },
      close: () => http.close(),
    }
  }

  /** `fetch` for URLs of the first gateway. */
  readonly fetch: typeof dialedFetch = async (url, init) => {
    const path = url.slice(this.endpoints[0].origin.length)
    for (let others = this.endpoints.length - 1; ; others--) {
      const { current } = this
      const target = this.targetAt(current, path)
      try {
        return await dialedFetch(target.origin + target.path, init)
      } catch (thrown) {
        this.leave(current)
        if (others === 0 || init.signal.aborted) throw thrown
      }
    }
  }

  /** A request that was aborted had no response either: the gateway may hang. */
  private leave(index: number): void {
    if (this.current === index) this.current = (index + 1) % this.endpoints.length
  }

  /** Where a resource of the first gateway is at another one. */
  private targetAt(index: number, path: string): { readonly origin: string; readonly path: string } {
    const [first] = this.endpoints
    const { origin, prefix, query } = this.endpoints[index] ?? first
    const resource = path.slice(first.prefix.length, path.length - first.query.length)
    return { origin, path: prefix + resource + query.replace('?', resource.includes('?') ? '&' : '?') }
  }
}
