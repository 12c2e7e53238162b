import { chainIds, type Environment } from '../domain/environment.js'
import { oneOf } from './check.js'
import { checkedOption } from './option.js'

/** The environment of a client that is not connected to a service. */
export const environmentOption = checkedOption<Environment, { default: Environment }>(
  'word',
  oneOf(...Object.keys(chainIds)),
  {
    default: 'mainnet',
  },
)
