import net, { type Socket } from 'node:net'
import tls from 'node:tls'
import { left, type Either } from 'fp-ts/lib/Either.js'
import type { buildConnector } from 'undici/index.js'
import type { Cancel } from '../../../base/task/cancellable-task.js'
import { responsiveDeadline } from '../../../base/time/responsive-deadlines.js'
import { dialHost, realClock } from '../dial-host.js'
import type { UndiciPackage } from '../packages.js'
import type { HttpTransportOptions } from '../ports.js'

/** Idle time before TCP sends its first keep-alive probe, in ms. */
const keepAliveDelay = 60_000

/**
 * Opens the socket of an HTTP connection. Unlike undici's own connector, it can be cancelled, and reaches each address of a name.
 * Calls `onResult` once, asynchronously, unless it is cancelled.
 */
export const dialTarget = (
  { errors }: UndiciPackage,
  { ca, connectTimeout }: HttpTransportOptions,
  target: buildConnector.Options,
  onResult: (result: Either<Error, Socket>) => void,
): Cancel => {
  const { hostname, protocol } = target
  const isTls = protocol === 'https:'
  const port = Number(target.port) || (isTls ? 443 : 80)
  const open = (host: string): Socket => {
    const socket = isTls ? connectTls(target, host, port, ca) : net.connect({ host, port })
    return socket.setKeepAlive(true, keepAliveDelay).setNoDelay(true)
  }
  const timer = responsiveDeadline(realClock, connectTimeout, () => {
    cancel()
    const message = `no connection to ${hostname}:${port} (timeout: ${connectTimeout}ms)`
    onResult(left(new errors.ConnectTimeoutError(message)))
  })
  const cancelAttempts = dialHost(hostname, open, isTls ? 'secureConnect' : 'connect', (result) => {
    timer.unsubscribe()
    onResult(result)
  })
  const cancel = (): void => {
    timer.unsubscribe()
    cancelAttempts()
  }
  return cancel
}

const connectTls = (
  { hostname, servername }: buildConnector.Options,
  host: string,
  port: number,
  ca: string | undefined,
): Socket =>
  tls.connect({
    host,
    port,
    ALPNProtocols: ['http/1.1'],
    // TLS forbids IP addresses as server names.
    servername: servername ?? (net.isIP(hostname) === 0 ? hostname : ''),
    ...(ca === undefined ? {} : { ca }),
  })
