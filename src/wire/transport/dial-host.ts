import type dns from 'node:dns'
import type net from 'node:net'
import type { Duplex } from 'node:stream'
import { isLeft, isRight, left, right, type Either } from 'fp-ts/lib/Either.js'
import { Subscription } from 'rxjs'
import type { Cancel } from '../../base/task/cancellable-task.js'
import type { Clock } from '../../base/time/clock.js'
import { delay } from '../../base/time/deadline.js'
import { systemClock } from '../../base/time/system-clock.js'

/** What `dialHost` needs of Node. */
export interface HostModules {
  readonly net: Pick<typeof net, 'isIP'>
  readonly dns: Pick<typeof dns, 'lookup'>
}

/** The time after which the next address of a name is dialled too, in ms, as RFC 8305 recommends. */
const nextAddressTime = 250

/** Not the clock of the client: sockets connect in real time. */
const clock = systemClock()

/**
 * Connects to the first address of a host that answers, without a limit of time. Node itself gives every address but the last
 * 250 ms, so that a distant service with two addresses cannot be reached. `open` opens a socket to an address, which emits
 * `readyEvent`. `onResult` is called once, asynchronously, unless the dial is cancelled. All other sockets are destroyed.
 */
export const dialHost = <S extends Duplex>(
  { net, dns }: HostModules,
  host: string,
  open: (address: string) => S,
  readyEvent: 'connect' | 'secureConnect',
  onResult: (result: Either<Error, S>) => void,
): Cancel => {
  const dialAll = (addresses: readonly string[]): Cancel =>
    staggeredRace<string, Error, S>(
      addresses,
      nextAddressTime,
      clock,
      (address, onEnd) => dialAddress(open(address), readyEvent, onEnd),
      (result) => onResult(isLeft(result) ? left(errorOf(result.left)) : result),
    )
  if (net.isIP(host) !== 0) return dialAll([host])
  let isCancelled = false
  let cancel: Cancel = () => (isCancelled = true)
  // A property of the module, as Node's own sockets use it: programs replace it.
  dns.lookup(host, { all: true }, (error, found) => {
    if (isCancelled) return
    if (error !== null) onResult(left(error))
    else cancel = dialAll(alternating(found))
  })
  return () => cancel()
}

/** Starts an attempt. `onEnd` is called at most once, asynchronously. Returns a function that cancels the attempt. */
export type StartAttempt<A, E, B> = (candidate: A, onEnd: (result: Either<E, B>) => void) => Cancel

/**
 * Tries the candidates in order, until one succeeds: the next one when an attempt fails, and also `staggerTime` ms after the
 * last one has started. Attempts have no other limit. Calls `onResult` once, with the first result, or with the errors of
 * all candidates in the order of the failures. The other attempts are cancelled then. Returns a function that cancels all.
 */
export const staggeredRace = <A, E, B>(
  candidates: readonly A[],
  staggerTime: number,
  clock: Clock,
  start: StartAttempt<A, E, B>,
  onResult: (result: Either<readonly E[], B>) => void,
): Cancel => {
  const waiting = [...candidates]
  const attempts = new Set<Cancel>()
  const failures: E[] = []
  let timer = new Subscription()

  const cancel = (): void => {
    timer.unsubscribe()
    waiting.length = 0
    for (const cancelAttempt of attempts) cancelAttempt()
    attempts.clear()
  }
  const startNext = (): void => {
    timer.unsubscribe()
    const [candidate] = waiting.splice(0, 1)
    if (candidate === undefined) return
    if (waiting.length > 0) timer = delay(clock, staggerTime, startNext)
    const cancelAttempt = start(candidate, (result) => {
      if (!attempts.delete(cancelAttempt)) return
      if (isRight(result)) {
        cancel()
        onResult(result)
        return
      }
      failures.push(result.left)
      if (waiting.length > 0) startNext()
      else if (attempts.size === 0) onResult(left(failures))
    })
    attempts.add(cancelAttempt)
  }
  startNext()
  return cancel
}

const dialAddress = <S extends Duplex>(
  socket: S,
  readyEvent: string,
  onEnd: (result: Either<Error, S>) => void,
): Cancel => {
  let failure = new Error('the connection was closed')
  const onClose = (): void => onEnd(left(failure))
  socket.on('error', (error) => (failure = error)).once('close', onClose)
  socket.once(readyEvent, () => onEnd(right(socket.off('close', onClose))))
  return () => socket.destroy()
}

/** The addresses of both families in turn, as Node and RFC 8305 order them: a whole family may be unreachable. */
const alternating = (found: readonly dns.LookupAddress[]): readonly string[] => {
  const first = found.filter(({ family }) => family === found[0]?.family)
  const others = found.filter(({ family }) => family !== found[0]?.family)
  const pairs = Array.from({ length: found.length }, (_, index) => [first[index], others[index]])
  return pairs.flat().flatMap((each) => (each === undefined ? [] : [each.address]))
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
