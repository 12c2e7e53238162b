import { isLeft } from 'fp-ts/lib/Either.js'
import { maxTimerMs } from '../../base/domain/valid-numbers.js'
import { noCancel } from '../../base/task/cancellable-task.js'
import { dialTarget } from '../../wire/transport/dial-host.js'
import { importUndici } from '../../wire/transport/undici-package.js'
import type { Fetch } from './open-history.js'

/**
 * `fetch` without limits of time but those of the caller, to any address of a name. Node's own gives each address but the last
 * 250 ms, and a connection 10 s.
 */
export const dialedFetch: Fetch = async (url, init) => {
  const { signal } = init
  const undici = await importUndici()
  const options = { ca: undefined, connectTimeout: maxTimerMs }
  let cancelDial = noCancel
  const dispatcher = new undici.Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (target, callback) => {
      cancelDial = dialTarget(undici, options, target, (result) =>
        isLeft(result) ? callback(result.left, null) : callback(null, result.right),
      )
    },
  })
  const close = (): void => {
    cancelDial()
    void dispatcher.destroy()
  }
  if (signal.aborted) close()
  else signal.addEventListener('abort', close, { once: true })
  // The types of Node are those of its own copy of undici.
  return undici.fetch(url, { ...init, dispatcher }) as Promise<unknown> as Promise<Response>
}
