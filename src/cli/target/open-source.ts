import type { Command } from 'commander'
import { isLeft, mapLeft, right, type Either } from 'fp-ts/lib/Either.js'
import type { Client, PriceClient } from '../../client/client.js'
import type { History } from '../../backtest/history/history.js'
import { clientOf } from '../../client/create-client.js'
import { node } from '../../wire/platform/node.js'
import { defaultService, serviceOf } from '../../base/domain/topic.js'
import { openHistoryOn } from '../../backtest/history/open-history.js'
import { nodePlatform } from '../../backtest/recording/read/node-platform.js'
import type * as Nats from '../../nats/index.js'
import { replay, type ReplayResult } from '../../backtest/recording/index.js'
import { startSimulator } from '../../simulator/index.js'
import type { Io } from '../io.js'
import { addressHint, failureOf } from '../render/error-text.js'
import { attempt } from './read-file.js'
import {
  namesFor,
  recordedTokens,
  selectTokens,
  userTokens,
  type SelectedToken,
  type SelectedTokens,
} from './select-tokens.js'
import { readServedTokens } from './served-tokens.js'
import type { NamedToken, TokenNames } from './token-names.js'
import { Gateways } from './gateways.js'
import {
  createDemonstration,
  demonstrationMarket,
  simulatedHistory,
  type Demonstration,
} from './demonstration.js'
import { usageError } from './parse-flags.js'
import {
  configurationOf,
  failAsFlag,
  resolveSource,
  type AddressSource,
  type DataKind,
  type Source,
} from './source.js'
import type { ServerFlagName } from './source-flags.js'

export interface OpenSource {
  readonly client: PriceClient
  /** The same client, if it has depth. */
  readonly depthClient: Client | undefined
  /** Host and port of the price reporter's WebSocket, or of a NATS server; empty for a recording. */
  readonly host: string
  /** HTTP origin of depth, or of prices without one; `undefined` over NATS, and for a recording. */
  readonly httpOrigin?: string
  /** The flag that selects another server than the service itself. */
  readonly serverFlag?: ServerFlagName | undefined
  /** A description of the source, such as `the service at prices.example:4000`. */
  readonly description: string
  /** What the prices are, in a word: the environment, `SIMULATED` or `RECORDED`. */
  readonly label: string
  /** The name of the service: prefix of the topics. */
  readonly service: string
  /** The tokens of a simulator or a recording; none of a service. */
  readonly ownTokens: readonly SelectedToken[]
  /** Reads the tokens that a gateway serves. Left: why they are unknown. `undefined` for other sources. */
  readonly readTokens?: () => Promise<Either<string, readonly NamedToken[]>>
  readonly demonstration?: Demonstration
  /** The history of a gateway, or the past of a simulator for a page; reading it fails if there is none. */
  readonly history?: History
  /** Resolves at the end of a recording; `undefined` for other sources. */
  readonly finished?: Promise<ReplayResult>
  readonly close: () => Promise<void>
}

interface Selection {
  /** The flags that select a server. Default: `--nats` and `--gateway`. */
  readonly servers?: readonly ServerFlagName[]
  /** A simulator has more tokens than the recorded ones, and a past: for a page. */
  readonly isDesk?: boolean
}

/** Calls `use` with the source that a command selects, then closes it. Invalid flags are a usage error. */
export const withSource = async (
  command: Command,
  dataKind: DataKind,
  use: (source: OpenSource) => Promise<void>,
  { servers, isDesk = false }: Selection = {},
): Promise<void> => {
  const source = await open(resolveSource(command, servers), dataKind, isDesk)
  await use(source).finally(source.close)
}

export interface CommandInput {
  readonly source: OpenSource
  readonly tokens: SelectedTokens
  readonly names: TokenNames
}

/** Also selects the tokens of the arguments: symbols, addresses or topics. An invalid one is a usage error. */
export const withTokens = async (
  io: Io,
  command: Command,
  dataKind: DataKind,
  given: readonly string[],
  use: (input: CommandInput) => Promise<void>,
  selection?: Selection,
): Promise<void> => {
  const user = userTokens(command, io.env)
  const withInput = async (source: OpenSource): Promise<void> => {
    const served = await readTokens(source)
    const sources = { ...user, ...source, servedTokens: isLeft(served) ? [] : served.right }
    const tokens = attempt(() => selectTokens(given, sources))
    if (isLeft(tokens) && isLeft(served))
      throw new Error(`${served.left}\n${addressHint('gateway')}\n${tokens.left}`)
    if (isLeft(tokens)) return usageError(tokens.left)
    await use({ source, tokens: tokens.right, names: namesFor(sources, source.service) })
  }
  await withSource(command, dataKind, withInput, selection)
}

/** None of other sources. Left: a sentence with the reason why they are unknown. */
export const readTokens = async (source: OpenSource): Promise<Either<string, readonly NamedToken[]>> =>
  mapLeft((reason: string) => `cannot read the tokens of ${source.description}: ${reason}`)(
    (await source.readTokens?.()) ?? right([]),
  )

const open = (source: Source, dataKind: DataKind, isDesk: boolean): OpenSource | Promise<OpenSource> => {
  switch (source._tag) {
    case 'Addresses':
      return openAddresses(source, dataKind)
    case 'Nats':
      return openNats(source).catch(failAsFlag('nats'))
    case 'Simulator':
      return openSimulator(source, dataKind, isDesk)
    case 'Recording':
      return openRecording(source)
  }
}

const openAddresses = (source: AddressSource, dataKind: DataKind): OpenSource => {
  const configuration = configurationOf(source, dataKind)
  const { priceWsUrls, depth, prices } = configuration
  const host = priceWsUrls.map((url) => new URL(url).host).join(', ')
  const urls = source.gateways
  const gateways = urls && new Gateways(urls)
  const httpTransport: typeof node.httpTransport = (given) => {
    const http = node.httpTransport(given)
    return gateways?.transport(http) ?? http
  }
  const client = clientOf(configuration, { ...node, httpTransport })
  return {
    ...{ client, depthClient: depth && client, host, label: source.environment },
    httpOrigin: (depth?.relayer ?? prices).origin,
    description: `the ${gateways === undefined ? 'service' : 'gateway'} at ${host}`,
    ...{ service: defaultService, ownTokens: [], close: () => client.close() },
    ...(gateways && {
      serverFlag: 'gateway',
      readTokens: () => readServedTokens(urls[0], gateways.fetch),
      history: openHistoryOn(nodePlatform, gateways.fetch)(urls[0]),
    }),
  }
}

const openNats = async ({ servers, environment }: SourceOf<'Nats'>): Promise<OpenSource> => {
  const { natsClient } = await loadNats()
  const host = natsUrl(servers).replace(/^.*:\/\//, '')
  const options = { servers: serverList(servers) }
  const depthClient = environment === 'mainnet' ? natsClient({ ...options, environment }) : undefined
  const client = depthClient ?? natsClient({ ...options, environment })
  return {
    ...{ client, depthClient, host, label: environment, serverFlag: 'nats' },
    description: `the gateway on NATS at ${host}`,
    ...{ service: defaultService, ownTokens: [], close: () => client.close() },
  }
}

const openSimulator = async (
  { environment, isDemo }: SourceOf<'Simulator'>,
  dataKind: DataKind,
  isDesk: boolean,
): Promise<OpenSource> => {
  const simulator = await startSimulator(isDemo || isDesk ? { market: demonstrationMarket() } : {})
  const { priceWsUrl, baseUrl, priceBaseUrl, authKey, tokens } = simulator
  const access = { environment, baseUrl, priceBaseUrl, authKey, priceWsUrls: [priceWsUrl] }
  const source = openAddresses({ _tag: 'Addresses', ...access }, dataKind)
  return {
    ...source,
    ...{ description: 'a simulator of the service', label: 'SIMULATED', ownTokens: tokens },
    ...(isDesk ? { history: simulatedHistory() } : {}),
    ...(isDemo ? { demonstration: createDemonstration(simulator) } : {}),
    close: async () => {
      await source.close()
      await simulator.close()
    },
  }
}

/** Throws if the recording has no header. */
const openRecording = async ({ files, speed }: SourceOf<'Recording'>): Promise<OpenSource> => {
  const client = replay(files, { speed })
  const header = await client.header()
  if (isLeft(header)) {
    await client.close()
    throw failureOf(header.left)
  }
  const { topics, mints } = header.right
  return {
    ...{ client, depthClient: mints.length > 0 ? client : undefined, host: '', label: 'RECORDED' },
    description: `the recording ${files.join(', ')}`,
    service: topics[0] === undefined ? defaultService : serviceOf(topics[0]),
    ownTokens: recordedTokens(header.right),
    finished: client.finished,
    close: () => client.close(),
  }
}

type SourceOf<Tag extends Source['_tag']> = Extract<Source, { readonly _tag: Tag }>

/** The entry point for NATS. It needs an optional package. */
export const loadNats = async (): Promise<typeof Nats> => {
  try {
    return await import('../../nats/index.js')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    return usageError(
      '--nats needs the package @nats-io/transport-node. Install it: npm install @nats-io/transport-node. Or for npx: npx -p svc-streams -p @nats-io/transport-node svc-streams …',
    )
  }
}

/** `servers`: addresses, separated by commas. */
export const serverList = (servers: string): readonly string[] =>
  servers.split(',').map((each) => each.trim())

/** The first server without its user and password. */
export const natsUrl = (servers: string): string => {
  const [, scheme = 'nats://', host = ''] =
    /^([a-z]+:\/\/)?(?:.*@)?(.*)$/.exec(serverList(servers)[0] ?? '') ?? []
  return scheme + host
}
