import type { Command } from 'commander'
import { map, type Either } from 'fp-ts/lib/Either.js'
import { firstValueFrom, from, ignoreElements, merge, NEVER } from 'rxjs'
import { clientTable } from '../../../client/options.js'
import type { PageConfig } from '../../dashboard/model/served.js'
import { readPageFiles, startDashboard, type DashboardServer } from '../../dashboard/serve/start-dashboard.js'
import { chainIds } from '../../../base/domain/environment.js'
import { printable } from '../../../base/errors/text.js'
import { withTokens, type CommandInput, type OpenSource } from '../input/open-source.js'
import { resolveSource, type Source } from '../input/source.js'
import type { SourceFlags } from '../input/source-flags.js'
import type { Io } from '../io.js'
import { interrupted } from '../stop.js'
import { listenFailure, recordingFailure$ } from './serve.js'

interface DashboardFlags extends SourceFlags {
  readonly port: number
  /** In ms. */
  readonly interval: number
}

export const serveDashboard = (
  io: Io,
  command: Command,
  given: readonly string[],
  flags: DashboardFlags,
): Promise<void> =>
  withTokens(io, command, 'both', given, (input) => serve(io, input, flags), deskSource(command))

/** The source of the flags. A simulator has six tokens, and a past. */
const deskSource = (command: Command): Either<string, Source> =>
  map((source: Source) => (source._tag === 'Simulator' ? { ...source, isDesk: true } : source))(
    resolveSource(command),
  )

const serve = async (io: Io, input: CommandInput, flags: DashboardFlags): Promise<void> => {
  const { source } = input
  const dashboard = await start(source, configOf(input, flags), flags.port)
  const stopped$ = from(interrupted(io))
  const steps$ = source.demonstration?.step$.pipe(ignoreElements()) ?? NEVER
  io.stdout.write(`${dashboard.url}\n`)
  io.stderr.write('Open this address in a browser on this machine. Press Ctrl-C to stop.\n')
  await firstValueFrom(merge(stopped$, steps$, recordingFailure$(source))).finally(() => dashboard.close())
}

const configOf = ({ source, tokens, names }: CommandInput, { interval }: DashboardFlags): PageConfig => ({
  service: source.service,
  environment: source.client.chainId === chainIds.mainnet ? 'mainnet' : 'testnet',
  source: printable(source.description),
  label: source.label,
  tokens: tokens.map(({ address }) => names.display(address)),
  depthInterval: source.depthClient === undefined ? null : interval,
  staleAfter: clientTable.staleAfter.default,
})

const start = async (
  { client, finished, history }: OpenSource,
  config: PageConfig,
  port: number,
): Promise<DashboardServer> => {
  const closedReason = finished === undefined ? 'the client is closed' : 'the recording has ended'
  const files = await readPageFiles()
  return startDashboard(client, { port, closedReason, files, config, history }).catch((error: unknown) => {
    throw listenFailure(error)
  })
}
