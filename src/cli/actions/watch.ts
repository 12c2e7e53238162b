import type { Command } from 'commander'
import { endWith, firstValueFrom, ignoreElements, merge, NEVER, startWith, tap, type Observable } from 'rxjs'
import { formatTime } from '../../view/texts.js'
import { rxClock } from '../../base/time/rx-clock.js'
import { showBoard$ } from '../render/show.js'
import type { Demonstration } from '../target/demonstration.js'
import { withTokens, type CommandInput } from '../target/open-source.js'
import type { Io } from '../io.js'
import { printRows$ } from '../render/rows.js'
import { canRedraw } from '../render/terminal.js'
import { stop$ } from '../stop.js'
import {
  failureText,
  nothingReceived,
  receive,
  watchRows$,
  type StreamFlags,
} from '../commands/shared/stream.js'

interface WatchFlags extends StreamFlags {
  readonly json?: boolean
}

export const watch = (io: Io, command: Command, given: readonly string[], flags: WatchFlags): Promise<void> =>
  withTokens(io, command, flags.depth ? 'both' : 'prices', given, async (input) => {
    const failure = await show(io, input, flags)
    if (failure !== undefined) throw new Error(failure)
  })

/** Resolves to the error message of a command that failed, when it has stopped or all price streams have completed. */
const show = async (
  io: Io,
  { source, tokens, names }: CommandInput,
  { interval, duration, depth, json = false }: WatchFlags,
): Promise<string | undefined> => {
  const { stdout: output, env: variables } = io
  const { demonstration, depthClient } = source
  const addresses = tokens.map(({ address }) => address)
  let received = nothingReceived
  const rows$ = watchRows$(source, addresses, interval).pipe(
    tap((row) => (received = receive(received, row))),
  )
  const isBoard = !json && canRedraw(output, variables)
  const shown$ = isBoard
    ? showBoard$(rows$, {
        tokens: addresses.map(names.display),
        hasDepth: depthClient !== undefined,
        header: demonstration,
        note: depth && depthClient === undefined ? depthNote : undefined,
        output,
        variables,
      })
    : printRows$(rows$, { output, variables, names, json })
  const steps$ = demonstration === undefined ? NEVER : demonstrate$(demonstration, output, !json && !isBoard)
  const end = await firstValueFrom(
    merge(steps$, shown$.pipe(endWith('completed' as const)), stop$(io, duration)),
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
