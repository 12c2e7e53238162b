import dns from 'node:dns'
import net from 'node:net'
import type { Duplex } from 'node:stream'
import { left, right, type Either } from 'fp-ts/lib/Either.js'
import { Subscription } from 'rxjs'
import type { Cancel } from '../../base/task/cancellable-task.js'
import { delay } from '../../base/time/timers.js'
import { systemClock } from '../../base/time/clock.js'

/** The time after which the next address of a name is dialled too, in ms, as RFC 8305 recommends. */
const nextAddressTime = 250

/** Not the clock of the client: sockets connect and are read in real time. */
export const realClock = systemClock()

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
