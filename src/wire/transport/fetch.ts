import { left, right } from 'fp-ts/lib/Either.js'
import { networkError } from '../../base/errors/constructors.js'
import { bodyTooLong, type HttpResult, type HttpRequest, type HttpTransport } from './ports.js'

/** HTTP over the `fetch` of the browser, which repeats a request on a lost connection itself. */
export const fetchTransport = (): HttpTransport => {
  const closing = new AbortController()
  return {
    get: (request, onResult, onSent) => {
      const aborted = new AbortController()
      const abort = (): void => aborted.abort()
      closing.signal.addEventListener('abort', abort)
      if (closing.signal.aborted) abort()
      onSent?.()
      void resultOf(request, aborted.signal).then((result) => {
        closing.signal.removeEventListener('abort', abort)
        onResult(result)
      })
      return abort
    },
    close: () => {
      closing.abort()
      return Promise.resolve()
    },
  }
}

/** The types of Node lack `cache`. */
const settings = {
  redirect: 'manual',
  cache: 'no-store',
  credentials: 'omit',
  referrerPolicy: 'no-referrer',
} as const

/** Never rejects. */
const resultOf = async (
  { origin, path, headers, maxBodyBytes }: HttpRequest,
  signal: AbortSignal,
): Promise<HttpResult> => {
  try {
    const response = await fetch(origin + path, { ...settings, headers, signal })
    // Its status and headers are hidden.
    if (response.type === 'opaqueredirect') throw new Error('the service redirects, which is not followed')
    const { text, isWhole } = await readBody(response, maxBodyBytes)
    if (!isWhole) return left(bodyTooLong(text, maxBodyBytes))
    return right({ status: response.status, headers: Object.fromEntries(response.headers), body: text })
  } catch (thrown) {
    return left(networkError(thrown))
  }
}

/** The types of Node have no type of the chunks. */
interface ByteReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>
  cancel(): Promise<void>
}

/** Reads a body up to a limit, because it may be endless. */
const readBody = async (
  { body }: Response,
  maxBytes: number,
): Promise<{ readonly text: string; readonly isWhole: boolean }> => {
  if (body === null) return { text: '', isWhole: true }
  const reader: ByteReader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done || value === undefined) return { text: text + decoder.decode(), isWhole: true }
    text += decoder.decode(value, { stream: true })
    size += value.length
    if (size <= maxBytes) continue
    // Not awaited: the stream of a stopped service may never be cancelled.
    void reader.cancel().catch(() => undefined)
    return { text, isWhole: false }
  }
}
