import { expect, test } from 'vitest'
import { isPageConfig } from '../../../src/dashboard/model/page-config.js'
import { config } from '../support/tokens.js'

test('isPageConfig accepts the configuration as JSON, and nothing else', () => {
  const served = { ...config, pageId: 'x' }
  expect(isPageConfig(JSON.parse(JSON.stringify(served)))).toBe(true)
  const wrong = [
    null,
    'x',
    {},
    config,
    { ...served, tokens: [{ ...config.tokens[0], address: 'ETH' }] },
    { ...served, environment: 'mars' },
    { ...served, depthInterval: undefined },
  ]
  expect(wrong.map(isPageConfig)).toEqual(wrong.map(() => false))
})
