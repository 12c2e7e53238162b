import dns from 'node:dns'
import net from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { isLeft, left, right } from 'fp-ts/lib/Either.js'
import { catchError, defer, forkJoin, map, Observable, of, take, timeout } from 'rxjs'
import { dialHost } from '../../wire/transport/dial-host.js'
import { rxClock } from '../../base/time/rx-clock.js'
import { deploymentFlags, withVariable, type DeploymentFlagName } from '../input/source-flags.js'
import { counted } from '../../view/texts.js'
import { serverName, tlsHint } from '../output/error-text.js'
import { thrownText, failed, passed, type Check } from './check.js'
import { allInterfaces, type Interface } from './target.js'

/** The host names of all interfaces. */
const dnsCheck: Check = {
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
  net.isIP(host) !== 0
    ? of({ host, text: `${host} is an address`, error: undefined })
    : defer(() => dns.promises.lookup(host)).pipe(
        timeout(limit),
        map(({ address }) => ({ host, text: `${host} has ${address}`, error: undefined })),
        catchError((error: unknown) => of({ host, text: '', error: thrownText(error, limit) })),
      )

/** The certificates of all encrypted interfaces. */
const tlsCheck: Check = {
  name: 'TLS',
  interfaces: (target) => {
    const encrypted = allInterfaces(target).filter(({ url }) => /^(?:https|wss):$/.test(url.protocol))
    return encrypted.length === 0 ? left('no address uses https: or wss:') : right(encrypted)
  },
  run$: (usable, { limit }) => {
    const byHost = new Map(usable.map((each) => [each.url.host, each]))
    return forkJoin(Array.from(byHost.values(), (each) => handshake$(each, limit))).pipe(
      map((handshakes) => {
        const failures = handshakes.filter(({ code }) => code !== undefined)
        const [first] = failures
        if (first === undefined) return passed(handshakes.map(({ text }) => text).join('; '))
        const hosts = new Set(failures.map(({ used }) => used.url.host))
        return failed(
          failures.map(({ text }) => text).join('; '),
          tlsAdvice(first.code ?? '', first.used.flag),
          usable.filter(({ url }) => hosts.has(url.host)),
        )
      }),
    )
  },
}

interface Handshake {
  readonly used: Interface
  readonly text: string
  readonly code: string | undefined
}

const handshake$ = (used: Interface, limit: number): Observable<Handshake> =>
  secureSocket$(used).pipe(
    take(1),
    timeout(limit),
    map((socket) => {
      const { authorized, authorizationError } = socket
      const end = socket.getPeerCertificate().valid_to
      if (authorized) return { used, text: `${used.url.host} valid ${daysUntil(end)}`, code: undefined }
      const code = String(authorizationError)
      return { used, text: `${used.url.host}: ${code}, valid until ${end}`, code }
    }),
    catchError((error: unknown) => {
      const { code = 'UNKNOWN' } = error as NodeJS.ErrnoException
      return of({ used, text: `${used.url.host}: ${thrownText(error, limit)}`, code })
    }),
  )

/** Emits the socket after the handshake. Accepts any certificate, to read it. */
const secureSocket$ = (used: Interface): Observable<TLSSocket> =>
  new Observable((subscriber) => {
    const name = hostOf(used)
    const port = Number(used.url.port || 443)
    const servername = net.isIP(name) === 0 ? name : ''
    const open = (host: string): TLSSocket => connect({ host, port, rejectUnauthorized: false, servername })
    return dialHost({ net, dns }, name, open, 'secureConnect', (result) => {
      if (isLeft(result)) return subscriber.error(result.left)
      const socket = result.right
      subscriber.add(() => socket.destroy())
      subscriber.next(socket)
    })
  })

const day = 24 * 60 * 60 * 1000

const daysUntil = (end: string): string =>
  `for ${counted(Math.floor((Date.parse(end) - rxClock.wallClock()) / day), 'day')}, until ${end}`

/** What to do after a TLS handshake that failed with this code. */
const tlsAdvice = (code: string, flagName: DeploymentFlagName): string => {
  const hint = tlsHint(code, flagName)
  if (hint !== undefined) return hint
  const flag = withVariable(deploymentFlags[flagName])
  const server = serverName(flagName)
  return /^(?:E(?:CONN|HOST|NET|TIMEDOUT|PIPE)|TIMEOUT|UNKNOWN)/.test(code)
    ? `Check that the ${server} runs, and that ${flag} is its address.`
    : `Check the port and the scheme in ${flag}: the ${server} may not use TLS there.`
}

/** The checks of the hosts, in this order. */
export const networkChecks = [dnsCheck, tlsCheck]
