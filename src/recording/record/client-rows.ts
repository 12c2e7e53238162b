import { asyncScheduler, concat, defer, map, of, type Observable } from 'rxjs'
import type { Client, PriceClient } from '../../client/client.js'
import type { Address } from '../../domain/address.js'
import type { Topic } from '../../domain/topic.js'
import type { Row } from '../format/row.js'

// What a client gives, as rows, each with the time at which it came.

export const statusRow$ = ({ status$ }: PriceClient): Observable<Row> =>
  status$.pipe(map((status) => ({ _tag: 'Status', at: now(), status })))

export const uncorrelatedRow$ = ({ errors$ }: PriceClient): Observable<Row> =>
  errors$.pipe(map((error) => ({ _tag: 'Uncorrelated', at: now(), error })))

/** The end of the stream too. */
export const priceRow$ = (client: PriceClient, topic: Topic): Observable<Row> =>
  withEnd$(client.price$(topic).pipe(map((event) => ({ _tag: 'Price', at: now(), topic, event }))), topic)

/** The end of the stream too. `interval` in ms. */
export const depthRow$ = (client: Client, mint: Address, interval: number): Observable<Row> =>
  withEnd$(
    client.depth$(mint, interval).pipe(map((event) => ({ _tag: 'Depth', at: now(), mint, event }))),
    mint,
  )

const withEnd$ = (row$: Observable<Row>, name: Topic | Address): Observable<Row> =>
  concat(
    row$,
    defer(() => of<Row>({ _tag: 'End', at: now(), of: name })),
  )

const now = (): number => asyncScheduler.now()
