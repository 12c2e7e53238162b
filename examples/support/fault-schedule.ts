import { interval, map, merge, take, tap, timer, type Observable } from 'rxjs'
import type { Simulator } from 'svc-streams/simulator'
import type { ListedToken } from './deployment.js'

// Faults that the live view injects into its own simulator, to show how the client recovers.

const dropInterval = 20_000
const listDelay = 12_000

/** A token that the service does not list at the start, so that it rejects the topic. */
export const unlistedToken = {
  symbol: 'PEPE',
  address: '0x25d887ce7a35172c62febfd67a1856f20faebb00',
  price: 0.4821,
} as const satisfies ListedToken & { price: number }

/** Injects the faults while it is subscribed to. Emits one line for each. */
export const faultSchedule$ = (simulator: Simulator): Observable<string> =>
  merge(
    timer(listDelay).pipe(
      take(1),
      tap(() => simulator.list(unlistedToken)),
      map(() => `the demonstration lists ${unlistedToken.symbol}, which the service had rejected`),
    ),
    interval(dropInterval).pipe(
      tap(() => simulator.dropConnections(1012)),
      map(() => 'the demonstration drops the connection (1012)'),
    ),
  )
