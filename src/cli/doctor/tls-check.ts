import { isIP } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { left, right } from 'fp-ts/lib/Either.js'
import { catchError, forkJoin, map, Observable, of, take, timeout } from 'rxjs'
import { rxClock } from '../../time/rx-clock.js'
import { failed, passed, type Check } from './check.js'
import { errorText } from './error-text.js'
import { allInterfaces, type Interface } from './target.js'
import { tlsAdvice } from './tls-advice.js'

/** The certificates of all encrypted interfaces. */
export const tlsCheck: Check = {
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
  /** The code of the error; undefined if the certificate is valid. */
  readonly code: string | undefined
}

const handshake$ = (used: Interface, limit: number): Observable<Handshake> =>
  secureSocket$(used.url).pipe(
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
      return of({ used, text: `${used.url.host}: ${errorText(error, limit)}`, code })
    }),
  )

/** Emits the socket after the handshake, which it completes whatever the certificate, to read it. */
const secureSocket$ = ({ hostname, port }: URL): Observable<TLSSocket> =>
  new Observable((subscriber) => {
    const host = hostname.replace(/^\[|\]$/g, '')
    const servername = isIP(host) === 0 ? { servername: host } : {}
    const options = { host, port: port === '' ? 443 : Number(port), rejectUnauthorized: false, ...servername }
    const socket = connect(options, () => subscriber.next(socket))
    socket.on('error', (error) => subscriber.error(error))
    socket.on('close', () => subscriber.error(new Error('the service closed the connection')))
    return () => socket.destroy()
  })

const day = 24 * 60 * 60 * 1000

const daysUntil = (end: string): string =>
  `for ${Math.floor((Date.parse(end) - rxClock.wallClock()) / day)} days, until ${end}`
