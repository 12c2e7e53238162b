import { Option } from 'commander'
import { parsedFlag, parseDuration, type Flag } from '../../target/parse-flags.js'
import { intervalFlag, tokensFlag } from './parts.js'
import { isLeft, isRight } from 'fp-ts/lib/Either.js'
import { connect, endWith, ignoreElements, merge, takeUntil, type Observable } from 'rxjs'
import type { Address } from '../../../base/domain/address.js'
import { assertNever } from '../../../base/domain/assert-never.js'
import type { ConnectionStatus } from '../../../base/domain/status.js'
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

const depthFlag: Flag<boolean> = { option: new Option('--no-depth', 'request prices only') }

/** The flags of a command that streams until it is stopped. */
export const streamFlags = {
  tokens: tokensFlag,
  interval: intervalFlag,
  duration: parsedFlag(
    '--duration <duration>',
    'stop after this time: a number of seconds, or 30s, 15m, 1h, 1d, …',
    parseDuration,
  ),
  depth: depthFlag,
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

/** The events that a streaming command has received so far, as far as they decide its exit code. */
export interface Received {
  readonly hasPrice: boolean
  readonly lastPriceError: PriceError | undefined
  readonly status: ConnectionStatus
  /** The number of depths and depth errors. */
  readonly depthEvents: number
  /** How many of them are `Unauthorized`. */
  readonly rejectedSignatures: number
}

export const nothingReceived: Received = {
  hasPrice: false,
  lastPriceError: undefined,
  status: { _tag: 'Idle' },
  depthEvents: 0,
  rejectedSignatures: 0,
}

export const receive = (received: Received, row: Row): Received => {
  switch (row._tag) {
    case 'Price':
      return isRight(row.event)
        ? { ...received, hasPrice: true }
        : { ...received, lastPriceError: row.event.left }
    case 'Depth': {
      const isRejected = isLeft(row.event) && row.event.left._tag === 'Unauthorized'
      return {
        ...received,
        depthEvents: received.depthEvents + 1,
        rejectedSignatures: received.rejectedSignatures + (isRejected ? 1 : 0),
      }
    }
    case 'Status':
      return { ...received, status: row.status }
    case 'Uncorrelated':
    case 'End':
      return received
    default:
      return assertNever(row)
  }
}

export interface StreamRun {
  readonly command: 'watch' | 'record'
  readonly source: Pick<OpenSource, 'host' | 'serverFlag'>
  /** In ms. */
  readonly duration: number | undefined
  /** Why the command ended. `completed`: the price streams of all tokens have completed. */
  readonly end: StopReason | 'completed'
}

/**
 * The error message of a streaming command that has not received what it requested; `undefined` if it succeeded. A
 * reader that closes the pipe needs no more data, so the command then succeeds.
 */
export const failureText = (received: Received, run: StreamRun): string | undefined => {
  const { command, end } = run
  if (end === 'output closed') return undefined
  const failures = [
    ...(end === 'completed' ? [noTokenText(command)] : []),
    ...(end === 'duration' && !received.hasPrice ? [noPriceText(received, run)] : []),
    ...(isKeyRejected(received) ? [rejectedKeyText(run)] : []),
  ]
  return failures.length === 0 ? undefined : failures.join('\n')
}

const noTokenText = (command: string): string => `\
no token left to ${command}: the service rejected every token
Check the tokens and --environment: a token has another address in each environment.`

const rejectedKeyText = ({ source: { serverFlag } }: StreamRun): string =>
  serverFlag === 'gateway'
    ? `the gateway rejected every depth request\n${keyHint('gateway')}`
    : `the service rejected the signature of every depth request\n${keyHint('baseUrl')}`

const noPriceText = (received: Received, { source: { host, serverFlag }, duration }: StreamRun): string => `\
no price arrived from ${host} in ${(duration ?? 0) / 1000} s
${reasonText(received)}
Check ${addressFlags(serverFlag)}, or run npx svc-streams doctor.`

const addressFlags = (serverFlag: ServerFlagName | undefined): string =>
  serverFlag !== undefined
    ? withVariable(serverFlag)
    : `${withVariable('priceBaseUrl')} and ${withVariable('priceWsUrl')}`

const reasonText = ({ lastPriceError, status }: Received): string => {
  if (lastPriceError !== undefined) return `Last error: ${errorLine(lastPriceError)}`
  return status._tag === 'Open'
    ? 'The connection is open, but the service sent no price of these tokens.'
    : 'The connection did not open.'
}

/** True if the service has answered each depth request, and rejected each signature. */
const isKeyRejected = ({ depthEvents, rejectedSignatures }: Received): boolean =>
  depthEvents > 0 && rejectedSignatures === depthEvents
