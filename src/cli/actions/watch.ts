import type { Command } from 'commander'
import { endWith, firstValueFrom, merge, NEVER, tap } from 'rxjs'
import { demonstrate$ } from './demonstrate.js'
import { showRows$ } from './show-rows.js'
import { streamKind, type StreamFlags } from '../commands/stream-command.js'
import { watchRows$ } from './watch-rows.js'
import { failureText } from '../outcome/failure-text.js'
import { nothingReceived, receive } from '../outcome/received.js'
import { stop$ } from '../stop.js'
import { withTokens, type CommandInput } from '../tokens/with-tokens.js'

/** The flags, as commander names and parses them. */
export interface WatchFlags extends StreamFlags {
  readonly json?: boolean
}

/** Shows live prices and depth until the user stops the command. */
export const watch = (command: Command, given: readonly string[], flags: WatchFlags): Promise<void> =>
  withTokens(command, streamKind(flags), given, async (input) => {
    const failure = await show(input, flags)
    if (failure !== undefined) throw new Error(failure)
  })

/** Resolves to the error message of a command that failed, when it has stopped or all price streams have completed. */
const show = async (
  { deployment, tokens, names }: CommandInput,
  { interval, duration, depth, json = false }: WatchFlags,
): Promise<string | undefined> => {
  const addresses = tokens.map(({ address }) => address)
  const hasDepth = deployment.depthClient !== undefined
  const note = depth && !hasDepth ? depthNote : undefined
  const { demonstration, priceHost, serverFlag } = deployment
  const options = {
    tokens: addresses.map(names.display),
    names,
    hasDepth,
    header: demonstration,
    note,
    output: process.stdout,
  }
  let received = nothingReceived
  const rows$ = watchRows$(deployment, addresses, interval).pipe(
    tap((row) => (received = receive(received, row))),
  )
  const shown$ = showRows$(rows$, options, json)
  const stopped$ = stop$(duration)
  const demonstrated$ =
    demonstration === undefined ? NEVER : demonstrate$(demonstration, process.stdout, json)
  const end = await firstValueFrom(merge(demonstrated$, shown$.pipe(endWith('completed' as const)), stopped$))
  return failureText(received, { command: 'watch', priceHost, serverFlag, duration, end })
}

const depthNote = 'Depth requires --base-url and --auth-key, --gateway or --nats, on mainnet.'
