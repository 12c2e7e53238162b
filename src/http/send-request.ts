import { left } from 'fp-ts/lib/Either.js'
import { publish } from '../diagnostics/publish.js'
import { networkError } from '../errors/constructors.js'
import { noCancel, type Cancel } from '../task/cancellable-task.js'
import type { HttpAnswer, HttpRequest, HttpTransport } from '../transport/ports.js'

/**
 * Sends a request. Sends it once more, on a new connection, if the transport reports that it may be repeated: a service
 * often closes an idle connection while the next request is on its way. `createRequest` is called for each of the two,
 * because each has its own signature. Returns the function that aborts.
 */
export const sendRequest = (
  http: HttpTransport,
  createRequest: () => HttpRequest,
  onResult: (result: HttpAnswer) => void,
): Cancel => {
  let isAborted = false
  let abortSecond = noCancel

  const repeat = ({ origin }: HttpRequest): void => {
    publish('svc-streams:repeated', () => ({ host: new URL(origin).host }))
    // A subscriber of the channel may have closed the client.
    if (isAborted) return
    try {
      abortSecond = http.get({ ...createRequest(), newConnection: true }, (result) => onResult(result))
    } catch (thrown) {
      onResult(left(networkError(thrown)))
    }
  }

  const request = createRequest()
  const abortFirst = http.get(request, (result, mayRepeat = false) => {
    if (mayRepeat && !isAborted) repeat(request)
    else onResult(result)
  })
  return () => {
    isAborted = true
    abortFirst()
    abortSecond()
  }
}
