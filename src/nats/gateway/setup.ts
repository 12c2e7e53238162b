import type { Signal } from '../../domain/signal.js'
import { gatewayTable as httpTable } from '../../gateway/option-table.js'
import {
  checkNames,
  checkOption,
  checkShapes,
  checkSpelling,
  numbersOf,
} from '../../option-kinds/check-options.js'
import { countOption } from '../../option-kinds/number-option.js'
import type { OptionTable } from '../../option-kinds/option.js'
import { connectionNames } from '../connection/connection-options.js'
import type { NatsGatewayOptions } from './options.js'

type Limit = 'maxConnections' | 'maxTopicsPerConnection' | 'depthEvery'

/** Numbers are checked in this order. */
const limitTable = {
  maxConnections: countOption({
    default: 10_000,
  }),
  maxTopicsPerConnection: countOption({
    default: 5_000,
  }),
  depthEvery: httpTable.depthEvery,
} satisfies OptionTable<Pick<NatsGatewayOptions, Limit>>

const gatewayTable = {
  service: httpTable.service,
  ...limitTable,
  signal: httpTable.signal,
}

/** Options that are checked and completed by their defaults. */
export interface NatsGatewaySetup extends Readonly<Record<Limit, number>> {
  readonly service: string
  readonly signal: Signal | undefined
}

/** Throws a `ConfigurationError` that names the first invalid option. */
export const checkNatsGatewayOptions = (options: NatsGatewayOptions): NatsGatewaySetup => {
  checkShapes(options, gatewayTable)
  checkNames(options, gatewayTable)
  for (const name of Object.keys(options)) checkSpelling(name, { ...gatewayTable, ...connectionNames })
  const { service = gatewayTable.service.default, signal } = options
  checkOption('service', service, gatewayTable.service)
  return { ...numbersOf(options, limitTable), service, signal }
}
