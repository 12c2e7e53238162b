import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { map, type Either } from 'fp-ts/lib/Either.js'
import { firstValueFrom, from, ignoreElements, merge, NEVER } from 'rxjs'
import { clientTable } from '../../client/options.js'
import type { PageConfig } from '../../view/served.js'
import { JournalFills } from '../../dashboard/server/journal-fills.js'
import {
  readPageFiles,
  startDashboard,
  type DashboardServer,
} from '../../dashboard/server/start-dashboard.js'
import { chainIds } from '../../base/domain/environment.js'
import { printable } from '../../base/errors/text.js'
import { withTokens, type CommandInput, type OpenSource } from '../target/open-source.js'
import { resolveSource, type Source } from '../target/source.js'
import type { SourceFlags } from '../target/source-flags.js'
import type { Io } from '../io.js'
import { orFail } from '../render/error-text.js'
import { interrupted } from '../stop.js'
import { listenFailure, recordingFailure$ } from '../commands/shared/serve.js'

interface DashboardFlags extends SourceFlags {
  readonly port: number
  /** In ms. */
  readonly interval: number
  readonly journal?: string
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
  const config = configOf(input, flags)
  const fills = await fillsOf(io, flags.journal, config)
  const dashboard = await start(source, config, flags.port, fills)
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

/** The fills of the journal, if there is one. A file that is none fails the command. */
const fillsOf = async (
  { stderr }: Io,
  journal: string | undefined,
  { tokens }: PageConfig,
): Promise<JournalFills | undefined> => {
  if (journal === undefined) return undefined
  const fills = new JournalFills(journal, tokens)
  orFail(await fills.read())
  if (!existsSync(journal))
    stderr.write(`${printable(journal)} does not exist yet; its fills will be shown\n`)
  return fills
}

const start = async (
  { client, finished, history }: OpenSource,
  config: PageConfig,
  port: number,
  fills: JournalFills | undefined,
): Promise<DashboardServer> => {
  const closedReason = finished === undefined ? 'the client is closed' : 'the recording has ended'
  const files = await readPageFiles()
  const options = { port, closedReason, files, config, history, fills }
  return startDashboard(client, options).catch((error: unknown) => {
    throw listenFailure(error)
  })
}
