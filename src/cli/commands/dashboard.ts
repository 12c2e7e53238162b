import { existsSync } from 'node:fs'
import { firstValueFrom, from, ignoreElements, merge, NEVER } from 'rxjs'
import { clientTable } from '../../client/options.js'
import type { PageConfig } from '../../view/served.js'
import { JournalFills } from '../../dashboard/server/journal-fills.js'
import { readPageFiles, startDashboard } from '../../dashboard/server/start-dashboard.js'
import { chainIds } from '../../base/domain/environment.js'
import { printable } from '../../base/errors/text.js'
import { withTokens, type CommandInput } from '../target/open-source.js'
import type { Io } from '../io.js'
import { orFail } from '../render/error-text.js'
import { interrupted } from '../stop.js'
import { failToListen, recordingFailure$ } from './shared/serve.js'
import { defineCommand, intervalFlag, many, tokensFlag, tokensHelp } from './shared/parts.js'
import { gatewayTable } from '../../gateway/options.js'
import { numberFlag, textFlag, type Values } from '../target/parse-flags.js'
import { demoFlag, sourceFlags } from '../target/source-flags.js'

const examples = `
Examples:
  $ npx svc-streams dashboard --simulate
      Show six tokens of a simulator in a browser. Needs no service, no key and no token.
  $ npx svc-streams dashboard WETH WBTC --tokens tokens.json --port 8080
      Show tokens by symbol, with { "WETH": { "address": "0x82af…", "decimals": 18 }, … } in the file.
  $ npx svc-streams dashboard --gateway http://127.0.0.1:8080 WETH --tokens tokens.json
      Show a token of a gateway. Its history, if it has one, is the past of the chart.
  $ npx svc-streams dashboard --gateway http://127.0.0.1:8080 --journal desk.ndjson
      Also show the fills of an account: those of a journal of the command paper, also while it runs. With --simulate, give
      paper the address of the page as --gateway: two simulators have different prices.

The command prints the address of the page, which this machine alone can open. A price that is not current is struck through or
underlined, and the chart has a gap. The page needs no reload after the service, or this command, has been started again.

Ctrl-C stops the command with exit code 0. The exit code is 1 if the port is in use or a recording is damaged, and 2 for
invalid arguments.`

const flags = {
  tokens: tokensFlag,
  demo: demoFlag,
  interval: intervalFlag,
  journal: textFlag('--journal <file>', 'journal of `paper`, whose fills the charts show'),
  port: numberFlag(
    '--port <port>',
    'port to listen on, for HTTP and WebSocket; 0 picks a free port',
    gatewayTable.port,
  ),
  ...sourceFlags,
}

type DashboardFlags = Values<typeof flags>

export const createCommand = defineCommand({
  examples,
  guide: 'operate/dashboard.md',
  arguments: many(
    '[token...]',
    `${tokensHelp} (default: those of the simulator or the recording, of SVC_TOKENS, or of --tokens)`,
  ),
  flags,
  action: (io, command, given, tokens) =>
    withTokens(io, command, 'both', tokens, (input) => serve(io, input, given), { isDesk: true }),
})

const serve = async (
  io: Io,
  input: CommandInput,
  { journal, port, interval }: DashboardFlags,
): Promise<void> => {
  const { client, finished, history, demonstration, label } = input.source
  const config = configOf(input, interval)
  const fills = await fillsOf(io, journal, config)
  const closedReason = finished === undefined ? 'the client is closed' : 'the recording has ended'
  const options = { port, closedReason, files: await readPageFiles(), config, history, fills }
  const dashboard = await startDashboard(client, options).catch(failToListen)
  const stopped$ = from(interrupted(io))
  const steps$ = demonstration?.step$.pipe(ignoreElements()) ?? NEVER
  io.stdout.write(`${dashboard.url}\n`)
  io.stderr.write('Open this address in a browser on this machine. Press Ctrl-C to stop.\n')
  if (journal !== undefined && label === 'SIMULATED')
    io.stderr.write(
      `This market is that of this command. To trade in it: npx svc-streams paper strategy.js --gateway ${dashboard.url} --journal ${printable(journal)}\n`,
    )
  await firstValueFrom(merge(stopped$, steps$, recordingFailure$(input.source))).finally(() =>
    dashboard.close(),
  )
}

const configOf = ({ source, tokens, names }: CommandInput, interval: number): PageConfig => ({
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
