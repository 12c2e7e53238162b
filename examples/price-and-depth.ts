// A live view of prices and depth. On a terminal it is redrawn in place; into a pipe it is plain lines.
//
// It runs against the simulator, which plays a recorded market, drops the connection now and then, and rejects one
// token at first. Environment variables point it at a real deployment: see support/deployment.ts.

import { createLogUpdate } from 'log-update'
import {
  combineLatest,
  delay,
  EMPTY,
  finalize,
  fromEvent,
  interval,
  lastValueFrom,
  merge,
  mergeMap,
  sampleTime,
  scan,
  share,
  startWith,
  takeUntil,
  tap,
  withLatestFrom,
  type Observable,
} from 'rxjs'
import { connect } from './support/deployment.js'
import { describeRow, drawBoard } from './support/draw.js'
import { latecomer, mischief$ } from './support/mischief.js'
import { news$ } from './support/news.js'
import { row$ } from './support/row.js'

const framesPerSecond = 8
const logLines = 6

const main = async (): Promise<void> => {
  const { client, tokens, simulator, close } = await connect()
  const watched = simulator === undefined ? tokens : [...tokens, latecomer]
  const rows$ = combineLatest(watched.map((token) => row$(client, token))).pipe(share())
  const told$ = merge(news$(client, rows$), simulator === undefined ? EMPTY : mischief$(simulator))

  const board$ = (): Observable<unknown> => {
    const draw = createLogUpdate(process.stdout)
    const log$ = told$.pipe(
      scan((lines: readonly string[], line) => [...lines, `${clock()}  ${line}`].slice(-logLines), []),
      startWith([]),
    )
    return interval(1000 / framesPerSecond).pipe(
      withLatestFrom(rows$, client.status$, log$),
      tap(([, rows, status, log]) =>
        draw(drawBoard({ rows, status, log }, Date.now(), process.stdout.columns)),
      ),
      finalize(() => {
        draw.done()
        console.log()
      }),
    )
  }

  const lines$ = (): Observable<unknown> =>
    merge(
      told$,
      rows$.pipe(
        sampleTime(1000),
        mergeMap((rows) => rows.map(describeRow)),
      ),
    ).pipe(tap((line) => console.log(`${clock()}  ${line}`)))

  const stop$ = merge(
    fromEvent(process, 'SIGINT'),
    fromEvent(process, 'SIGTERM'),
    fromEvent(process.stdout, 'error'), // whom we write to has gone, as in `| head`
  ).pipe(delay(0)) // our listener stays while those of others decide whether anybody takes care of the signal
  const hasScreen = process.stdout.isTTY && process.stdout.columns > 0 // 0, in some containers: nobody knows its size
  const view$ = hasScreen ? board$() : lines$()
  await lastValueFrom(view$.pipe(takeUntil(stop$)), { defaultValue: undefined })
  await close()
}

const clock = (): string => new Date().toLocaleTimeString('en-GB')

main().catch((thrown: unknown) => {
  console.error(thrown instanceof Error ? thrown.message : thrown)
  process.exitCode = 2
})
