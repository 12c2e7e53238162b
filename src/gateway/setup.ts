import { isLeft } from 'fp-ts/lib/Either.js'
import { decodeKey } from '../auth/key.js'
import type { Mac } from '../auth/mac.js'
import { isLoopback } from '../domain/host-with-port.js'
import type { Signal } from '../domain/signal.js'
import { ConfigurationError } from '../errors/configuration-error.js'
import { checkNames, checkOption, checkShapes, numbersOf } from '../option-kinds/check-options.js'
import { node } from '../platform/node.js'
import { urlHost } from './access/host.js'
import { parsePem, type PemPair } from './access/pem-pair.js'
import { gatewayTable, limitTable } from './option-table.js'
import type { GatewayOptions } from './options.js'

/** Options that are checked and completed by their defaults. */
export interface GatewaySetup {
  readonly host: string
  readonly port: number
  readonly service: string
  /** One MAC per key; `undefined` if depth requests need no signature. */
  readonly macs: readonly Mac[] | undefined
  readonly tls: PemPair | undefined
  readonly origins: ReadonlySet<string>
  readonly maxConnections: number
  readonly maxTopicsPerConnection: number
  readonly maxBufferedBytes: number
  readonly depthEvery: number
  readonly signal: Signal | undefined
}

/** Throws a `ConfigurationError` that names the first invalid option. It contains no key. */
export const checkGatewayOptions = (options: GatewayOptions): GatewaySetup => {
  checkShapes(options, gatewayTable)
  checkNames(options, gatewayTable)
  const { host = gatewayTable.host.default, service = gatewayTable.service.default } = options
  const { origins = [], keys, tls, openDepth = gatewayTable.openDepth.default } = options
  checkOption('host', host, gatewayTable.host)
  checkOption('service', service, gatewayTable.service)
  checkOption('origins', origins, gatewayTable.origins)
  const limits = numbersOf(options, limitTable)
  if (keys === undefined && openDepth !== true && !isLoopback(urlHost(host))) {
    throw new ConfigurationError(
      'host',
      'other machines can reach this address; set keys, which depth requests must be signed with, or openDepth: true',
    )
  }
  return {
    ...limits,
    host,
    service,
    macs: keys === undefined ? undefined : Object.entries(keys).map(macOf),
    tls: tls === undefined ? undefined : parsePem(tls),
    origins: new Set(origins),
    signal: options.signal,
  }
}

const macOf = ([name, key]: readonly [string, string]): Mac => {
  const decoded = decodeKey(key, `keys.${name}`)
  if (isLeft(decoded)) throw decoded.left
  return node.createMac(decoded.right)
}
