import { expect, test } from 'vitest'
import { isPageConfig } from '../../../src/dashboard/model/page-config.js'
import { config } from '../support/tokens.js'

test('isPageConfig accepts the configuration as JSON, and nothing else', () => {
  expect(isPageConfig(JSON.parse(JSON.stringify(config)))).toBe(true)
  const wrong = [
    null,
    'x',
    {},
    { ...config, tokens: [{ ...config.tokens[0], address: 'ETH' }] },
    { ...config, environment: 'mars' },
    { ...config, depthInterval: undefined },
  ]
  expect(wrong.map(isPageConfig)).toEqual(wrong.map(() => false))
})
