import { isLeft } from 'fp-ts/lib/Either.js'
import { concatMap, defer, from, map, of, take, tap, type Observable } from 'rxjs'
import { skipped, type Check, type CheckResult } from './check.js'
import { clockCheck } from './clock-check.js'
import { depthHttpCheck } from './depth-http-check.js'
import { dnsCheck } from './dns-check.js'
import { priceHttpCheck } from './price-http-check.js'
import { priceSocketCheck } from './price-socket-check.js'
import { signatureCheck } from './signature-check.js'
import type { Interface, Target } from './target.js'
import { tlsCheck } from './tls-check.js'

/** The checks after that of the options, in this order. */
export const checks: readonly Check[] = [
  dnsCheck,
  tlsCheck,
  priceHttpCheck,
  priceSocketCheck,
  depthHttpCheck,
  clockCheck,
  signatureCheck,
]

export interface NamedResult {
  readonly name: string
  readonly result: CheckResult
}

/** Runs the checks one after the other. An interface that has failed is not checked again. */
export const runChecks$ = (target: Target): Observable<NamedResult> =>
  defer(() => {
    /** The name of the check that failed, by interface. */
    const failures = new Map<Interface, string>()
    return from(checks).pipe(
      concatMap((check) =>
        result$(check, target, failures).pipe(
          take(1),
          tap((result) => {
            if (result.result === 'failed') for (const each of result.failed) failures.set(each, check.name)
          }),
          map((result) => ({ name: check.name, result })),
        ),
      ),
    )
  })

const result$ = (
  check: Check,
  target: Target,
  failures: ReadonlyMap<Interface, string>,
): Observable<CheckResult> => {
  const interfaces = check.interfaces(target)
  if (isLeft(interfaces)) return of(skipped(interfaces.left))
  const usable = interfaces.right.filter((each) => !failures.has(each))
  if (usable.length > 0) return check.run$(usable, target)
  const names = new Set(interfaces.right.map((each) => failures.get(each)))
  return of(skipped(`${[...names].join(' and ')} failed`))
}
