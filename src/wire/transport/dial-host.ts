import dns from 'node:dns'
import net, { type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import tls from 'node:tls'
import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { Subscription } from 'rxjs'
import type { Cancel } from '../../base/task/cancellable-task.js'
import { delay, responsiveDeadline } from '../../base/time/timers.js'
import { systemClock } from '../../base/time/clock.js'
import type { UndiciPackage } from './undici-package.js'
import type { HttpTransportOptions } from './ports.js'

/** The time after which the next address of a name is dialled too, in ms, as RFC 8305 recommends. */
const nextAddressTime = 250

/** Not the clock of the client: sockets connect and are read in real time. */
const realClock = systemClock()

/**
 * Connects to the first address of a host that answers, without a limit of time: the next address is dialled when a dial fails,
 * and also `nextAddressTime` after the last one. Node itself gives every address but the last 250 ms, so that a distant service
 * with two addresses cannot be reached. `open` opens a socket to an address, which emits `readyEvent`. `onResult` is called
 * once, asynchronously, unless the dial is cancelled. All other sockets are destroyed.
 */
export const dialHost = <S extends Duplex>(
  host: string,
  open: (address: string) => S,
  readyEvent: 'connect' | 'secureConnect',
  onResult: (result: Either<Error, S>) => void,
  clock = realClock,
): Cancel => {
  let waiting: readonly string[] = []
  let isCancelled = false
  let timer = new Subscription()
  const sockets = new Set<S>()
  const failures: Error[] = []

  const cancel = (): void => {
    isCancelled = true
    timer.unsubscribe()
    for (const socket of sockets) socket.destroy()
    sockets.clear()
  }
  const dialNext = (): void => {
    timer.unsubscribe()
    const [address, ...others] = waiting
    if (address === undefined) return
    waiting = others
    if (others.length > 0) timer = delay(clock, nextAddressTime, dialNext)
    const socket = open(address)
    sockets.add(socket)
    let failure = new Error('the connection was closed')
    const onClose = (): void => {
      if (!sockets.delete(socket)) return
      failures.push(failure)
      if (waiting.length > 0) dialNext()
      else if (sockets.size === 0) onResult(left(errorOf(failures)))
    }
    socket.on('error', (error) => (failure = error)).once('close', onClose)
    socket.once(readyEvent, () => {
      if (!sockets.delete(socket.off('close', onClose))) return
      cancel()
      onResult(right(socket))
    })
  }
  const dial = (addresses: readonly string[]): void => {
    waiting = addresses
    dialNext()
  }
  if (net.isIP(host) !== 0) dial([host])
  // A property of the module, as Node's own sockets use it: programs replace it.
  else
    dns.lookup(host, { all: true }, (error, found) => {
      if (isCancelled) return
      if (error !== null) onResult(left(error))
      else dial(found.map(({ address }) => address))
    })
  return cancel
}

/** One error as it is, several as Node reports them. */
const errorOf = (errors: readonly Error[]): Error => {
  const [first] = errors
  if (first !== undefined && errors.length === 1) return first
  return Object.assign(
    new AggregateError(errors),
    first !== undefined && 'code' in first ? { code: first.code } : {},
  )
}

/** Idle time before TCP sends its first keep-alive probe, in ms. */
const keepAliveDelay = 60_000

interface DialTarget {
  readonly hostname: string
  /** With its colon. */
  readonly protocol: string
  /** Empty for that of the protocol. */
  readonly port: string
  readonly servername?: string | undefined
}

/**
 * A connector of undici. Unlike its own, it can be cancelled and reaches each address of a name. Calls `onResult` at most once,
 * asynchronously.
 */
export const dialTarget = (
  { errors }: UndiciPackage,
  { ca, connectTimeout }: HttpTransportOptions,
  target: DialTarget,
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
  { hostname, servername }: DialTarget,
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
