import type { Command } from 'commander'
import { isLeft, left, mapLeft, right, type Either } from 'fp-ts/lib/Either.js'
import type { Client, PriceClient } from '../../client/client.js'
import type { History } from '../../backtest/history/history.js'
import { clientOf } from '../../client/create-client.js'
import { node } from '../../wire/platform/node.js'
import type { Platform } from '../../wire/platform/platform.js'
import type { Environment } from '../../base/domain/environment.js'
import { defaultService, serviceOf } from '../../base/domain/topic.js'
import { ConfigurationError } from '../../base/errors/configuration-error.js'
import { openHistoryOn } from '../../backtest/history/open-history.js'
import { nodePlatform } from '../../backtest/recording/read/node-platform.js'
import type * as Nats from '../../nats/index.js'
import { replay, type ReplayResult } from '../../backtest/recording/index.js'
import { recordedMarket, startSimulator, type Simulator } from '../../simulator/index.js'
import type { Io } from '../io.js'
import { addressHint, failureOf } from '../render/error-text.js'
import { orUsageError, usageError } from '../run.js'
import {
  namedTokens,
  recordedAddresses,
  selectTokens,
  userTokens,
  type SelectedToken,
  type SelectedTokens,
} from './select-tokens.js'
import { readServedTokens } from './served-tokens.js'
import { createTokenNames, type NamedToken, type TokenNames } from './token-names.js'
import { Gateways } from './gateways.js'
import { createDemonstration, demonstrationMarket, type Demonstration } from './demonstration.js'
import {
  clientOptions,
  configureFor,
  flagErrorText,
  hasDepth,
  gatewayUrls,
  resolveSource,
  type DataKind,
  type GatewaySource,
  type NatsSource,
  type RecordingSource,
  type ServiceSource,
  type SimulatorSource,
  type Source,
} from './source.js'
import { simulatedHistory } from './simulated-past.js'
import type { ServerFlagName } from './source-flags.js'

/** A source of data, with its client. */
export interface OpenSource {
  readonly client: PriceClient
  /** The same client, if it has depth. */
  readonly depthClient: Client | undefined
  /** Host and port of the price reporter's WebSocket, or of a NATS server; empty for a recording. */
  readonly host: string
  /** HTTP address of depth, or of prices without one; `undefined` over NATS, and for a recording. */
  readonly httpUrl: string | undefined
  /** The flag that selects another server than the service itself. */
  readonly serverFlag: ServerFlagName | undefined
  /** A description of the source, such as `the service at prices.example:4000`. */
  readonly description: string
  /** What the prices are, in a word: the environment, `SIMULATED` or `RECORDED`. */
  readonly label: string
  /** The name of the service: prefix of the topics. */
  readonly service: string
  /** The tokens of a simulator or a recording; none of a service. */
  readonly ownTokens: readonly SelectedToken[]
  /** Reads the tokens that a gateway serves. Left: why they are unknown. `undefined` for other sources. */
  readonly readTokens: (() => Promise<Either<string, readonly NamedToken[]>>) | undefined
  /** Tokens with known names, by their addresses on mainnet. */
  readonly knownTokens: readonly NamedToken[]
  readonly demonstration: Demonstration | undefined
  /** The history of a gateway or of NATS, or the past of a simulator for a page; reading it fails if there is none. `undefined` for other sources. */
  readonly history: History | undefined
  /** Resolves at the end of a recording; `undefined` for other sources. */
  readonly finished: Promise<ReplayResult> | undefined
  readonly close: () => Promise<void>
}

/** Calls `use` with the source that a command selects, then closes it. Invalid flags are a usage error. */
export const withSource = async (
  command: Command,
  dataKind: DataKind,
  use: (source: OpenSource) => Promise<void>,
  selected: Either<string, Source> = resolveSource(command),
): Promise<void> => {
  const source = isLeft(selected) ? selected : await open(selected.right, dataKind)
  const opened = orUsageError(command, source)
  await use(opened).finally(opened.close)
}

export interface CommandInput {
  readonly source: OpenSource
  readonly tokens: SelectedTokens
  readonly names: TokenNames
}

/**
 * Calls `use` with the source that a command selects, and with the tokens of the arguments (symbols, addresses or topics),
 * then closes the source. An invalid token is a usage error.
 */
export const withTokens = async (
  io: Io,
  command: Command,
  dataKind: DataKind,
  given: readonly string[],
  use: (input: CommandInput) => Promise<void>,
  selected?: Either<string, Source>,
): Promise<void> => {
  const user = userTokens(command, io.env)
  const withInput = async (source: OpenSource): Promise<void> => {
    const served = await readTokens(source)
    const sources = { ...user, ...source, servedTokens: isLeft(served) ? [] : served.right }
    const tokens = selectTokens(given, sources)
    if (isLeft(tokens)) {
      if (isLeft(served)) throw new Error(`${served.left}\n${addressHint('gateway')}\n${tokens.left}`)
      return usageError(command, tokens.left)
    }
    const names = createTokenNames(namedTokens(sources, tokens.right), source.service)
    await use({ source, tokens: tokens.right, names })
  }
  await withSource(command, dataKind, withInput, selected)
}

/** The tokens that a gateway serves; none of other sources. Left: a sentence that says why they are unknown. */
export const readTokens = async (source: OpenSource): Promise<Either<string, readonly NamedToken[]>> =>
  mapLeft((reason: string) => `cannot read the tokens of ${source.description}: ${reason}`)(
    (await source.readTokens?.()) ?? right([]),
  )

const open = async (source: Source, dataKind: DataKind): Promise<Either<string, OpenSource>> => {
  switch (source._tag) {
    case 'Service':
    case 'Gateway':
      return openAddresses(source, dataKind)
    case 'Nats':
      return openNats(source)
    case 'Simulator':
      return openSimulator(source, dataKind)
    case 'Recording':
      return right(await openRecording(source))
  }
}

type Clients = Pick<OpenSource, 'client' | 'depthClient'>

const serverSource = (
  clients: Clients,
  host: string,
  httpUrl: string | undefined,
  environment: Environment,
  serverFlag?: ServerFlagName,
): OpenSource => ({
  ...clients,
  host,
  httpUrl,
  serverFlag,
  description:
    serverFlag === 'nats' ? `the gateway on NATS at ${host}` : `the ${serverFlag ?? 'service'} at ${host}`,
  label: environment,
  service: defaultService,
  ownTokens: [],
  readTokens: undefined,
  knownTokens: environment === 'mainnet' ? recordedMarket().tokens : [],
  demonstration: undefined,
  history: undefined,
  finished: undefined,
  close: () => clients.client.close(),
})

const openAddresses = (
  source: ServiceSource | GatewaySource,
  dataKind: DataKind,
): Either<string, OpenSource> => {
  const options = clientOptions(source, dataKind)
  if (isLeft(options)) return options
  const configuration = configureFor(source._tag, options.right)
  if (isLeft(configuration)) return configuration
  const host = configuration.right.priceWsUrls.map((url) => new URL(url).host).join(', ')
  const httpUrl = options.right.baseUrl ?? options.right.priceBaseUrl
  const connect = (platform: Platform, serverFlag?: ServerFlagName): OpenSource => {
    const client = clientOf(configuration.right, platform)
    const clients = { client, depthClient: hasDepth(options.right) ? client : undefined }
    return serverSource(clients, host, httpUrl, source.environment, serverFlag)
  }
  if (source._tag === 'Service') return right(connect(node))
  const urls = gatewayUrls(source)
  const gateways = new Gateways(urls, source.authKey !== undefined)
  const httpTransport: Platform['httpTransport'] = (given) => gateways.transport(node.httpTransport(given))
  return right({
    ...connect({ ...node, httpTransport }, 'gateway'),
    readTokens: () => readServedTokens(urls[0], gateways.fetch),
    history: openHistoryOn(nodePlatform, gateways.fetch)(urls[0]),
  })
}

const openNats = async (source: NatsSource): Promise<Either<string, OpenSource>> => {
  const { servers, environment } = source
  const clients = await createNatsClients(source)
  if (isLeft(clients)) return clients
  return right(serverSource(clients.right, natsHost(servers), undefined, environment, 'nats'))
}

const openSimulator = async (
  { environment, isDemo, isDesk }: SimulatorSource,
  dataKind: DataKind,
): Promise<Either<string, OpenSource>> => {
  const simulator = await startSimulator(isDemo || isDesk ? { market: demonstrationMarket() } : {})
  const opened = openAddresses(serviceOfSimulator(simulator, environment), dataKind)
  if (isLeft(opened)) {
    await simulator.close()
    return opened
  }
  const source = {
    ...opened.right,
    description: 'a simulator of the service',
    label: 'SIMULATED',
    history: isDesk ? simulatedHistory() : undefined,
    ownTokens: simulator.tokens,
    knownTokens: simulator.tokens,
    close: async () => {
      await opened.right.close()
      await simulator.close()
    },
  }
  return right(isDemo ? { ...source, demonstration: createDemonstration(simulator) } : source)
}

const serviceOfSimulator = (
  { baseUrl, authKey, priceBaseUrl, priceWsUrl }: Simulator,
  environment: Environment,
): ServiceSource => ({
  _tag: 'Service',
  environment,
  allowInsecure: false,
  ...{ baseUrl, authKey, priceBaseUrl, priceWsUrl },
})

/** Throws if the recording has no header. */
const openRecording = async ({ files, speed }: RecordingSource): Promise<OpenSource> => {
  const client = replay(files, { speed })
  const header = await client.header()
  if (isLeft(header)) {
    await client.close()
    throw failureOf(header.left)
  }
  const { topics, mints } = header.right
  const knownTokens = recordedMarket().tokens
  const { symbol, decimals } = createTokenNames(knownTokens)
  return {
    client,
    depthClient: mints.length > 0 ? client : undefined,
    host: '',
    httpUrl: undefined,
    serverFlag: undefined,
    description: `the recording ${files.join(', ')}`,
    label: 'RECORDED',
    service: topics[0] === undefined ? defaultService : serviceOf(topics[0]),
    ownTokens: recordedAddresses(header.right).map((address) => {
      const [name, digits] = [symbol(address), decimals(address)]
      return name === undefined || digits === undefined
        ? { address }
        : { address, symbol: name, decimals: digits }
    }),
    readTokens: undefined,
    knownTokens,
    demonstration: undefined,
    history: undefined,
    finished: client.finished,
    close: () => client.close(),
  }
}

/** The client of `--nats`. Left: the error message. */
const createNatsClients = async ({ servers, environment }: NatsSource): Promise<Either<string, Clients>> => {
  const nats = await loadNats()
  if (nats === undefined) return left(missingPackageText)
  try {
    const options = { servers: serverList(servers) }
    if (environment === 'testnet') {
      return right({ client: nats.natsClient({ ...options, environment }), depthClient: undefined })
    }
    const client = nats.natsClient({ ...options, environment })
    return right({ client, depthClient: client })
  } catch (error) {
    if (error instanceof ConfigurationError) return left(flagErrorText(error, 'Nats'))
    throw error
  }
}

/** The entry point for NATS; `undefined` without the optional package that it needs. */
export const loadNats = async (): Promise<typeof Nats | undefined> => {
  try {
    return await import('../../nats/index.js')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return undefined
    throw error
  }
}

export const missingPackageText =
  '--nats needs the package @nats-io/transport-node. Install it: npm install @nats-io/transport-node. Or for npx: npx -p svc-streams -p @nats-io/transport-node svc-streams …'

/** `servers`: addresses, separated by commas. */
export const serverList = (servers: string): readonly string[] =>
  servers.split(',').map((each) => each.trim())

/** The first server without its user and password. */
export const natsHost = (servers: string): string => natsUrl(servers).replace(/^.*:\/\//, '')

/** The same with its scheme. */
export const natsUrl = (servers: string): string => {
  const [, scheme = 'nats://', host = ''] =
    /^([a-z]+:\/\/)?(?:.*@)?(.*)$/.exec(serverList(servers)[0] ?? '') ?? []
  return scheme + host
}
