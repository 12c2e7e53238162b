import { left } from 'fp-ts/lib/Either.js'
import { networkError } from '../../../errors/constructors.js'
import { noCancel } from '../../../task/cancellable-task.js'
import type { HttpTransport } from '../../../transport/ports.js'
import { LazyTransport } from './lazy-transport.js'

/**
 * An HTTP transport that is loaded by its first request. A request that is aborted during the load is not sent. If the
 * load fails, each request that waits for it fails with a `NetworkError`.
 */
export const lazyHttpTransport = (importTransport: () => Promise<HttpTransport>): HttpTransport => {
  const lazy = new LazyTransport(importTransport)

  const getWhenLoaded: HttpTransport['get'] = (request, onResult) => {
    let isAborted = false
    let abort = noCancel
    const send = async (): Promise<void> => {
      let failure: unknown = new DOMException('the request was aborted', 'AbortError')
      try {
        const transport = await lazy.load()
        if (!isAborted) {
          abort = transport.get(request, onResult)
          return
        }
      } catch (thrown) {
        failure = thrown
      }
      onResult(left(networkError(failure)))
    }
    void send()
    return () => {
      isAborted = true
      abort()
    }
  }

  return {
    get: (request, onResult) =>
      lazy.loaded === undefined ? getWhenLoaded(request, onResult) : lazy.loaded.get(request, onResult),
    close: () => lazy.close(),
  }
}
