import { interval, map, merge, take, tap, timer, type Observable } from 'rxjs'
import type { Simulator } from 'svc-streams/simulator'
import type { ListedToken } from './deployment.js'

// What the demonstration does to its own service, so that the recovery can be watched.

const dropEvery = 20_000
const listAfter = 12_000

/** A token that the service does not know at first. */
export const latecomer = {
  symbol: 'PEPE',
  address: '0x25d887ce7a35172c62febfd67a1856f20faebb00',
  price: 0.4821,
} as const satisfies ListedToken & { price: number }

/** Emits a line for each thing that it does. */
export const mischief$ = (simulator: Simulator): Observable<string> =>
  merge(
    timer(listAfter).pipe(
      take(1),
      tap(() => simulator.list(latecomer)),
      map(() => `the demonstration lists ${latecomer.symbol}, which the service had rejected`),
    ),
    interval(dropEvery).pipe(
      tap(() => simulator.dropConnections(1012)),
      map(() => 'the demonstration drops the connection (1012)'),
    ),
  )
