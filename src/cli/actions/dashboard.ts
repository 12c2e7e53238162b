import type { Command } from 'commander'
import { isLeft } from 'fp-ts/lib/Either.js'
import { firstValueFrom, from, merge } from 'rxjs'
import { clientTable } from '../../client/option-table.js'
import type { PageConfig } from '../../dashboard/model/served.js'
import { readPageFiles, startDashboard, type DashboardServer } from '../../dashboard/serve/start-dashboard.js'
import type { DisplayToken } from '../../display/token-state.js'
import { chainIds } from '../../domain/environment.js'
import { printable } from '../../errors/text.js'
import { recordedMarket } from '../../simulator/index.js'
import { usageError } from '../input/deployment.js'
import { withSource, type Source } from '../input/source.js'
import type { SourceFlags } from '../input/source-flags.js'
import { listenFailure } from '../outcome/listen-failure.js'
import { recordingFailure$ } from '../outcome/recording-failure.js'
import { interrupted } from '../stop.js'
import { pageTokens } from '../tokens/page-tokens.js'
import { userTokens } from '../tokens/with-tokens.js'

/** The flags, as commander names and parses them. */
export interface DashboardFlags extends SourceFlags {
  readonly port: number
  /** In ms. */
  readonly interval: number
  /** The file of `--tokens`. */
  readonly tokens?: string
}

/** Serves the dashboard until the user stops the command. */
export const serveDashboard = async (
  command: Command,
  given: readonly string[],
  flags: DashboardFlags,
): Promise<void> => {
  const user = userTokens(command, flags.tokens)
  await withSource(command, async (source) => {
    const known = isMainnet(source.client) ? recordedMarket().tokens : []
    const tokens = pageTokens(given, source, user, known)
    if (isLeft(tokens)) return usageError(command, tokens.left)
    const dashboard = await start(source, configOf(source, tokens.right, flags), flags.port)
    const stopped$ = from(interrupted())
    process.stdout.write(`${dashboard.url}\n`)
    await firstValueFrom(merge(stopped$, recordingFailure$(source))).finally(() => dashboard.close())
  })
}

const isMainnet = ({ chainId }: Source['client']): boolean => chainId === chainIds.mainnet

const configOf = (
  { client, hasDepth, service, description }: Source,
  tokens: readonly DisplayToken[],
  { interval }: DashboardFlags,
): PageConfig => ({
  service,
  environment: isMainnet(client) ? 'mainnet' : 'testnet',
  source: printable(description),
  tokens,
  depthInterval: hasDepth ? interval : null,
  staleAfter: clientTable.staleAfter.default,
})

const start = async (
  { client, finished }: Source,
  config: PageConfig,
  port: number,
): Promise<DashboardServer> => {
  const closedReason = finished === undefined ? 'the client is closed' : 'the recording has ended'
  const files = await readPageFiles()
  return startDashboard(client, { port, closedReason, files, config }).catch((error: unknown) => {
    throw listenFailure(error)
  })
}
