import type { Command } from 'commander'
import {
  EMPTY,
  endWith,
  firstValueFrom,
  ignoreElements,
  merge,
  NEVER,
  startWith,
  tap,
  type Observable,
} from 'rxjs'
import { formatTime } from '../../view/texts.js'
import type { Address } from '../../base/domain/address.js'
import type { PastPrice } from '../../base/domain/past.js'
import { rxClock } from '../../base/time/rx-clock.js'
import { showBoard$ } from '../board/show.js'
import type { Demonstration } from '../input/demonstration.js'
import { withTokens, type CommandInput } from '../input/open-source.js'
import { deploymentFlags, withVariable } from '../input/source-flags.js'
import type { Io } from '../io.js'
import { printRows$ } from '../output/rows.js'
import { readPastPrices$ } from '../output/since.js'
import { canRedraw } from '../output/terminal.js'
import { usageError } from '../run.js'
import { stop$ } from '../stop.js'
import { failureText, nothingReceived, receive, watchRows$, type StreamFlags } from './stream.js'

interface WatchFlags extends StreamFlags {
  readonly json?: boolean
  /** In ms. */
  readonly since?: number
}

export const watch = (io: Io, command: Command, given: readonly string[], flags: WatchFlags): Promise<void> =>
  withTokens(io, command, flags.depth ? 'both' : 'prices', given, async (input) => {
    if (flags.since !== undefined && input.source.history === undefined)
      return usageError(command, noHistoryText)
    const failure = await show(io, input, flags)
    if (failure !== undefined) throw new Error(failure)
  })

const noHistoryText = `--since: needs the history of a gateway; set ${withVariable(deploymentFlags.gateway)} to the address of one that runs with --history, or ${withVariable(deploymentFlags.nats)} to the servers of one that runs with --keep`

/** Resolves to the error message of a command that failed, when it has stopped or all price streams have completed. */
const show = async (
  io: Io,
  { source, tokens, names }: CommandInput,
  { interval, duration, depth, json = false, since }: WatchFlags,
): Promise<string | undefined> => {
  const { stdout: output, env: variables } = io
  const { demonstration, depthClient, history, host } = source
  const addresses = tokens.map(({ address }) => address)
  let received = nothingReceived
  const rows$ = watchRows$(source, addresses, interval).pipe(
    tap((row) => (received = receive(received, row))),
  )
  const start = since === undefined ? undefined : rxClock.wallClock() - since
  const prices = new Map<Address, PastPrice>()
  const past = start === undefined ? undefined : { from: start, prices }
  const past$ =
    start === undefined || history === undefined
      ? EMPTY
      : readPastPrices$(history, addresses, start, prices, { names, host })
  const isBoard = !json && canRedraw(output, variables)
  const shown$ = isBoard
    ? showBoard$(rows$, {
        tokens: addresses.map(names.display),
        hasDepth: depthClient !== undefined,
        header: demonstration,
        note: depth && depthClient === undefined ? depthNote : undefined,
        past,
        output,
        variables,
      })
    : printRows$(rows$, { output, variables, names, json, past })
  const steps$ = demonstration === undefined ? NEVER : demonstrate$(demonstration, output, !json && !isBoard)
  const end = await firstValueFrom(
    merge(past$, steps$, shown$.pipe(endWith('completed' as const)), stop$(io, duration)),
  )
  return failureText(received, { command: 'watch', source, duration, end })
}

const depthNote = 'Depth requires --base-url and --auth-key, --gateway or --nats, on mainnet.'

/** Runs the demonstration. Prints a line for each step if `isPrinted`. */
const demonstrate$ = (
  { title, detail, step$ }: Demonstration,
  output: NodeJS.WriteStream,
  isPrinted: boolean,
): Observable<never> =>
  step$.pipe(
    startWith(`${title} ${detail} Press Ctrl-C to stop.`),
    tap((text) => isPrinted && output.write(`${formatTime(rxClock.wallClock())} ${text}\n`)),
    ignoreElements(),
  )
