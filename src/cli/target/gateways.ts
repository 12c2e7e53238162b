import { isLeft } from 'fp-ts/lib/Either.js'
import { dialedFetch } from '../../backtest/history/dialed-fetch.js'
import type { HttpTransport, OnHttpResult } from '../../wire/transport/ports.js'

/** A request goes to the gateway that answered last, and to the next one if there is no response. Any status is a response. */
export class Gateways {
  private readonly origins: readonly string[]
  private current = 0

  /** A signature contains the path: a gateway with another path or query than the first one receives no request. */
  constructor(given: readonly [string, ...string[]]) {
    const urls = given.map((url) => new URL(url))
    const pathOf = ({ pathname, search }: URL): string => pathname.replace(/\/+$/, '') + search
    const path = pathOf(new URL(given[0]))
    this.origins = urls.filter((url) => pathOf(url) === path).map(({ origin }) => origin)
  }

  /** A transport for requests to the first gateway. */
  transport(http: HttpTransport): HttpTransport {
    return {
      get: (request, onResult, onSent) => {
        let isAborted = false
        let abort: () => void
        const send = (others: number): void => {
          const { origin } = this
          const onEnd: OnHttpResult = (result, mayRepeat) => {
            if (isLeft(result) && result.left._tag === 'NetworkError' && mayRepeat !== true) {
              this.leave(origin)
              if (others > 0 && !isAborted) return send(others - 1)
            }
            onResult(result, mayRepeat)
          }
          abort = http.get({ ...request, origin }, onEnd, onSent)
        }
        send(this.origins.length - 1)
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
    const path = url.slice(this.origins[0]?.length)
    for (let others = this.origins.length - 1; ; others--) {
      const { origin } = this
      try {
        return await dialedFetch(origin + path, init)
      } catch (thrown) {
        this.leave(origin)
        if (others === 0 || init.signal.aborted) throw thrown
      }
    }
  }

  private get origin(): string {
    return this.origins[this.current] ?? ''
  }

  /** A request that was aborted had no response either: the gateway may hang. */
  private leave(origin: string): void {
    if (this.origin === origin) this.current = (this.current + 1) % this.origins.length
  }
}
