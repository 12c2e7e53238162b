import { left, right } from 'fp-ts/lib/Either.js'
import type { HttpTransport } from 'svc-streams'
import { ProxyAgent, type Dispatcher } from 'undici'

export const httpBy = (proxy: string): HttpTransport => {
  const agent = new ProxyAgent({ uri: proxy, maxResponseSize: 1_048_576 })
  return {
    get({ origin, path, headers }, answered) {
      const abort = new AbortController()
      agent
        .request({ origin, path, headers, method: 'GET', signal: abort.signal })
        .then(toResponse)
        .then(
          (response) => answered(right(response)),
          (thrown: unknown) => {
            const { name, message } = thrown instanceof Error ? thrown : new Error(String(thrown))
            answered(left({ _tag: 'NetworkError', message, cause: { name, message, code: undefined } }))
          },
        )
      return () => abort.abort()
    },
    close: () => agent.destroy(),
  }
}

const toResponse = async ({ statusCode, headers, body }: Dispatcher.ResponseData) => {
  const texts = Object.entries(headers).map(([name, value]) => [name, String(value)] as const)
  return { status: statusCode, headers: Object.fromEntries(texts), body: await body.text() }
}
