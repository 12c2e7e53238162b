// A live view of prices and depth: redrawn in place on a terminal, lines of text in a pipe.
//
// It runs against the simulator, which replays a recorded market, drops the connection every 20 s, and rejects one token
// at first. Environment variables select a real deployment: see support/deployment.ts.

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
import { eventLog$ } from './support/event-log.js'
import { faultSchedule$, unlistedToken } from './support/fault-schedule.js'
import { describeRow } from './support/format.js'
import { renderBoard } from './support/render-board.js'
import { tokenRow$ } from './support/token-row.js'

const framesPerSecond = 8
const logLines = 6

const main = async (): Promise<void> => {
  const { client, tokens, simulator, close } = await connect()
  const shown = simulator === undefined ? tokens : [...tokens, unlistedToken]
  const rows$ = combineLatest(shown.map((token) => tokenRow$(client, token))).pipe(share())
  const event$ = merge(eventLog$(client, rows$), simulator === undefined ? EMPTY : faultSchedule$(simulator))

  const board$ = (): Observable<unknown> => {
    const redraw = createLogUpdate(process.stdout)
    const log$ = event$.pipe(
      scan((lines: readonly string[], line) => [...lines, `${clock()}  ${line}`].slice(-logLines), []),
      startWith([]),
    )
    return interval(1000 / framesPerSecond).pipe(
      withLatestFrom(rows$, client.status$, log$),
      tap(([, rows, status, log]) =>
        redraw(renderBoard({ rows, status, log }, Date.now(), process.stdout.columns)),
      ),
      finalize(() => {
        redraw.done()
        console.log()
      }),
    )
  }

  const lines$ = (): Observable<unknown> =>
    merge(
      event$,
      rows$.pipe(
        sampleTime(1000),
        mergeMap((rows) => rows.map(describeRow)),
      ),
    ).pipe(tap((line) => console.log(`${clock()}  ${line}`)))

  const stop$ = merge(
    fromEvent(process, 'SIGINT'),
    fromEvent(process, 'SIGTERM'),
    fromEvent(process.stdout, 'error'), // the reader has closed the pipe, as in `| head`
  ).pipe(delay(0)) // log-update's own signal handler ends the process unless another listener is still attached
  const hasScreen = process.stdout.isTTY && process.stdout.columns > 0 // 0 in some containers: the size is unknown
  const view$ = hasScreen ? board$() : lines$()
  await lastValueFrom(view$.pipe(takeUntil(stop$)), { defaultValue: undefined })
  await close()
}

const clock = (): string => new Date().toLocaleTimeString('en-GB')

main().catch((thrown: unknown) => {
  console.error(thrown instanceof Error ? thrown.message : thrown)
  process.exitCode = 2
})
