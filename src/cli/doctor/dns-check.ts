import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { catchError, defer, forkJoin, map, of, timeout, type Observable } from 'rxjs'
import { deploymentFlags, withVariable } from '../input/deployment-flags.js'
import { right } from 'fp-ts/lib/Either.js'
import { allInterfaces, type Interface } from './target.js'
import { failed, passed, type Check } from './check.js'
import { errorText } from './error-text.js'

/** The host names of all interfaces. */
export const dnsCheck: Check = {
  name: 'DNS',
  interfaces: (target) => right(allInterfaces(target)),
  run$: (usable, { limit }) => {
    const hosts = [...new Set(usable.map(hostOf))]
    return forkJoin(hosts.map((host) => resolve$(host, limit))).pipe(
      map((lookups) => {
        const first = lookups.find(({ error }) => error !== undefined)
        if (first === undefined) return passed(lookups.map(({ text }) => text).join(', '))
        const unresolved = new Set(lookups.filter(({ error }) => error !== undefined).map(({ host }) => host))
        const affected = usable.filter((each) => unresolved.has(hostOf(each)))
        const flag = deploymentFlags[affected[0]?.flag ?? 'priceBaseUrl']
        const problem = lookups.flatMap(({ host, error }) =>
          error === undefined ? [] : [`${host}: ${error}`],
        )
        return failed(
          problem.join(', '),
          `Check the host name in ${withVariable(flag)}, and that this machine is online.`,
          affected,
        )
      }),
    )
  },
}

interface Lookup {
  readonly host: string
  readonly text: string
  readonly error: string | undefined
}

/** Without the brackets of an IPv6 address. */
const hostOf = ({ url }: Interface): string => url.hostname.replace(/^\[|\]$/g, '')

const resolve$ = (host: string, limit: number): Observable<Lookup> =>
  isIP(host) !== 0
    ? of({ host, text: `${host} is an address`, error: undefined })
    : defer(() => lookup(host)).pipe(
        timeout(limit),
        map(({ address }) => ({ host, text: `${host} has ${address}`, error: undefined })),
        catchError((error: unknown) => of({ host, text: '', error: errorText(error, limit) })),
      )
