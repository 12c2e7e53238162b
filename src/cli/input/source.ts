import type { Command } from 'commander'
import { isLeft } from 'fp-ts/lib/Either.js'
import type { PriceClient } from '../../client/client.js'
import { defaultService, serviceOf } from '../../domain/topic.js'
import { renderError } from '../../errors/render.js'
import { printable } from '../../errors/text.js'
import { replay, type ReplayResult } from '../../recording/index.js'
import { recordedMarket } from '../../simulator/index.js'
import type { SelectedToken } from '../tokens/find-token.js'
import { recordedAddresses } from '../tokens/recorded-tokens.js'
import { createTokenNames } from '../tokens/token-names.js'
import { usageError, withDeployment, type Deployment } from './deployment.js'
import { sourceConflict } from './selected-flags.js'
import type { SourceFlags } from './source-flags.js'

/** A client of the service, the simulator, the gateway or the recording that the flags of a command select. */
export interface Source {
  /** With depth methods if `hasDepth`. */
  readonly client: PriceClient
  readonly hasDepth: boolean
  /** The source in words, such as `the service at prices.example:4000`. */
  readonly description: string
  /** The name of the service: prefix of the topics. */
  readonly service: string
  /** Its tokens, as far as they are known: none for a service. */
  readonly tokens: readonly SelectedToken[]
  /** Resolves at the end of a recording; `undefined` for other sources. */
  readonly finished: Promise<ReplayResult> | undefined
}

/** Calls `use` with the source that the flags select, then closes it. Invalid flags are a usage error. */
export const withSource = async (command: Command, use: (source: Source) => Promise<void>): Promise<void> => {
  const { recording, speed } = command.opts<SourceFlags>()
  if (recording !== undefined) {
    const conflict = sourceConflict(command)
    return conflict === undefined ? withRecording(recording, speed, use) : usageError(command, conflict)
  }
  if (command.getOptionValueSource('speed') === 'cli')
    return usageError(command, '--speed: applies only to --recording; remove it')
  return withDeployment(command, 'both', (deployment) => use(deploymentSource(deployment)))
}

const deploymentSource = (deployment: Deployment): Source => {
  const { client, depthClient, isSimulator, serverFlag, knownTokens, priceHost } = deployment
  const server =
    serverFlag === 'nats'
      ? `the gateway on NATS at ${priceHost}`
      : `the ${serverFlag ?? 'service'} at ${priceHost}`
  return {
    client: depthClient ?? client,
    hasDepth: depthClient !== undefined,
    description: isSimulator ? 'a simulator of the service' : server,
    service: defaultService,
    tokens: isSimulator ? knownTokens : [],
    finished: undefined,
  }
}

const withRecording = async (
  files: readonly string[],
  speed: number,
  use: (source: Source) => Promise<void>,
): Promise<void> => {
  await using client = replay(files, { speed })
  const header = await client.header()
  if (isLeft(header)) throw new Error(printable(renderError(header.left)))
  const { topics, mints } = header.right
  const [topic] = topics
  const names = createTokenNames(recordedMarket().tokens)
  await use({
    client,
    hasDepth: mints.length > 0,
    description: `the recording ${files.join(', ')}`,
    service: topic === undefined ? defaultService : serviceOf(topic),
    tokens: recordedAddresses(header.right).map((address) => {
      const symbol = names.symbol(address)
      return symbol === undefined ? { address } : { address, symbol }
    }),
    finished: client.finished,
  })
}
