import { isRight, left, right } from 'fp-ts/lib/Either.js'
import { catchError, defer, EMPTY, from, map, Observable, of, timeInterval, timeout } from 'rxjs'
import { parseHttpDate } from '../../codec/http-headers.js'
import { rxClock } from '../../time/rx-clock.js'
import { hint } from '../input/hint.js'
import { deploymentFlags, withVariable } from '../input/source-flags.js'
import { errorLine } from '../output/error-line.js'
import { errorText, failed, passed, skipped, type Check, type CheckResult } from './check.js'
import type { Interface } from './target.js'

/** An unsigned depth request, which the relayer API answers with 401, and a gateway with a depth. */
export const depthHttpCheck: Check = {
  name: 'depth over HTTP',
  interfaces: ({ relayer, isTestnet }) => {
    if (isTestnet) return left('testnet has no depth')
    return relayer === undefined
      ? left(`${withVariable(deploymentFlags.baseUrl)} is not set`)
      : right([relayer])
  },
  run$: (usable, { unsignedClient, relayer, token: { address } }) =>
    unsignedClient === undefined || relayer === undefined
      ? EMPTY
      : defer(unsignedClient.depth(address)).pipe(
          timeInterval(),
          map(({ value, interval }) => {
            if (isRight(value)) return passed(`answers without a signature, ${interval} ms`)
            const error = value.left
            if (error._tag === 'Unauthorized')
              return passed(`answers and requires a signature, ${interval} ms`)
            if (error._tag === 'UnsupportedPair') return passed(`answers, ${interval} ms`)
            return failed(errorLine(error), hint(error, relayer.flag), usable)
          }),
        ),
}

export const signatureCheck: Check = {
  name: 'signature',
  interfaces: (target) =>
    target.relayer?.flag === 'nats'
      ? left('the gateway signs')
      : target.relayer !== undefined && target.signingClient === undefined
        ? left(`${withVariable(deploymentFlags.authKey)} is not set`)
        : depthHttpCheck.interfaces(target),
  run$: (usable, { signingClient, relayer, token: { address, symbol } }) =>
    signingClient === undefined || relayer === undefined
      ? EMPTY
      : defer(signingClient.depth(address)).pipe(
          map((depth) => {
            if (isRight(depth)) return passed(`accepted, for the depth of ${symbol}`)
            if (depth.left._tag === 'UnsupportedPair') return passed('accepted')
            return failed(errorLine(depth.left), hint(depth.left, relayer.flag), usable)
          }),
        ),
}

/** Half of the time for which a signature is valid. */
const maxOffset = 5000

/** A smaller offset is not measurable: the `Date` header has whole seconds, and the request takes time. */
const precision = 1000

/** The `Date` header has whole seconds. On average, it is this much behind. */
const dateDelay = 500

/** The clock of this machine, compared with that of the service: of the relayer API, if it answers. */
export const clockCheck: Check = {
  name: 'clock',
  interfaces: ({ relayer, priceHttp }) =>
    priceHttp.flag === 'nats'
      ? left('over NATS, no clock is compared')
      : right([...(relayer === undefined ? [] : [relayer]), priceHttp]),
  run$: ([used], { limit }) =>
    used === undefined
      ? of(skipped('no interface answers'))
      : offset$(used).pipe(
          timeout(limit),
          map(resultOf),
          catchError((error: unknown) => of(skipped(errorText(error, limit)))),
        ),
}

const resultOf = (offset: number): CheckResult => {
  if (Number.isNaN(offset)) return skipped('the service sends no Date header')
  const size = Math.abs(offset)
  if (size <= precision) return passed('within 1 s of the clock of the service')
  const difference = `this machine is ${(size / 1000).toFixed(1)} s ${offset > 0 ? 'behind' : 'ahead of'} the service`
  if (size <= maxOffset) return passed(difference)
  return failed(
    difference,
    'Set the clock of this machine, for example by NTP. The client corrects only the time of its signatures.',
    [],
  )
}

/** The service's clock minus the local clock, in ms; NaN without a `Date` header. */
const offset$ = ({ url }: Interface): Observable<number> =>
  new Observable((subscriber) => {
    const controller = new AbortController()
    const start = rxClock.wallClock()
    const response = fetch(url.origin, { signal: controller.signal, redirect: 'manual' })
    const subscription = from(response).subscribe({
      next: ({ headers }) => {
        const middle = (start + rxClock.wallClock()) / 2
        subscriber.next(parseHttpDate(headers.get('date') ?? undefined) + dateDelay - middle)
        subscriber.complete()
      },
      error: (error: unknown) => subscriber.error(error),
    })
    return () => {
      subscription.unsubscribe()
      controller.abort()
    }
  })
