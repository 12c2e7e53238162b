import { Flag, parsedFlag, parseDuration } from '../../target/parse-flags.js'
import { intervalFlag, tokensFlag } from './parts.js'
import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { connect, endWith, ignoreElements, merge, takeUntil, type Observable } from 'rxjs'
import type { Address } from '../../../base/domain/topic.js'
import type { PriceError } from '../../../base/errors/model.js'
import type { Row } from '../../../backtest/recording/codec/row.js'
import {
  depthRow$,
  priceRow$,
  statusRow$,
  uncorrelatedRow$,
} from '../../../backtest/recording/write/client-rows.js'
import { errorLine, keyHint } from '../../render/error-text.js'
import type { OpenSource } from '../../target/open-source.js'
import { serviceFlags, withVariable, type ServerFlagName } from '../../target/source-flags.js'
import type { StopReason } from '../../stop.js'

// Shared by watch and record: the events of the tokens, and the reason of a failure.

export const streamFlags = {
  tokens: tokensFlag,
  interval: intervalFlag,
  duration: parsedFlag(
    '--duration <duration>',
    'stop after this time: a number of seconds, or 30s, 15m, 1h, 1d, …',
    parseDuration,
  ),
  depth: new Flag<boolean>('--no-depth', 'request prices only'),
  ...serviceFlags,
}

/** All events of the tokens and of the connection. Completes when the price streams of all tokens have completed. */
export const watchRows$ = (
  { client, depthClient, service }: Pick<OpenSource, 'client' | 'depthClient' | 'service'>,
  tokens: readonly Address[],
  interval: number,
): Observable<Row> => {
  const prices$ = merge(...tokens.map((token) => priceRow$(client, `${service}-${token}`)))
  const others$ = merge(
    statusRow$(client),
    uncorrelatedRow$(client),
    ...(depthClient === undefined ? [] : tokens.map((mint) => depthRow$(depthClient, mint, interval))),
  )
  const untilEndOf = (rows$: Observable<Row>) => takeUntil<Row>(rows$.pipe(ignoreElements(), endWith(null)))
  return prices$.pipe(connect((rows$) => merge(rows$, others$.pipe(untilEndOf(rows$)))))
}

export interface StreamRun {
  readonly command: 'watch' | 'record'
  readonly source: Pick<OpenSource, 'host' | 'serverFlag'>
  /** In ms. */
  readonly duration: number | undefined
  /** Why the command ended. `completed`: the price streams of all tokens have completed. */
  readonly end: StopReason | 'completed'
}

/** What a streaming command has received so far, as far as it decides its exit code. */
export class Received {
  private hasPrice = false
  private lastPriceError: PriceError | undefined
  private isOpen = false
  /** The number of depths and depth errors, and how many of them are `Unauthorized`. */
  private depths = 0
  private rejectedSignatures = 0

  add(row: Row): void {
    if (row._tag === 'Status') this.isOpen = row.status._tag === 'Open'
    if (row._tag === 'Price') {
      if (isRight(row.event)) this.hasPrice = true
      else this.lastPriceError = row.event.left
    }
    if (row._tag === 'Depth') {
      this.depths++
      if (isLeft(row.event) && row.event.left._tag === 'Unauthorized') this.rejectedSignatures++
    }
  }

  /** `undefined` if the command succeeded, also because the reader has closed the pipe: it needs no more data. */
  failureText({ command, source: { host, serverFlag }, duration = 0, end }: StreamRun): string | undefined {
    const texts: string[] = []
    if (end === 'completed')
      texts.push(
        `no token left to ${command}: the service rejected every token`,
        'Check the tokens and --environment: a token has another address in each environment.',
      )
    if (end === 'duration' && !this.hasPrice)
      texts.push(
        `no price arrived from ${host} in ${duration / 1000} s`,
        this.reasonText(),
        `Check ${addressFlags(serverFlag)}, or run npx svc-streams doctor.`,
      )
    if (this.depths > 0 && this.rejectedSignatures === this.depths)
      texts.push(
        serverFlag === 'gateway'
          ? `the gateway rejected every depth request\n${keyHint('gateway')}`
          : `the service rejected the signature of every depth request\n${keyHint('baseUrl')}`,
      )
    return end === 'output closed' || texts.length === 0 ? undefined : texts.join('\n')
  }

  private reasonText(): string {
    if (this.lastPriceError !== undefined) return `Last error: ${errorLine(this.lastPriceError)}`
    return this.isOpen
      ? 'The connection is open, but the service sent no price of these tokens.'
      : 'The connection did not open.'
  }
}

const addressFlags = (serverFlag: ServerFlagName | undefined): string =>
  serverFlag !== undefined
    ? withVariable(serverFlag)
    : `${withVariable('priceBaseUrl')} and ${withVariable('priceWsUrl')}`
