import { expect, it } from 'vitest'
import { configure } from '../../../src/client/configuration.js'
import { clientTable, type ClientOptions } from '../../../src/client/options.js'
import { node } from '../../../src/wire/platform/node.js'

const valid = {
  environment: 'mainnet',
  priceBaseUrl: 'https://prices.example',
  baseUrl: 'https://relayer.example',
  authKey: 'AAAA',
} as const

it.each(Object.entries(clientTable))(
  'the error for an invalid %s states what is expected',
  (name, option) => {
    const options = { ...valid, [name]: null } as unknown as ClientOptions
    expect(() => configure(options, node)).toThrow(`${name}: expected ${option.expected}`)
  },
)
