import { expect, test } from 'vitest'
import { flagErrorText } from '../../../src/cli/input/flag-error.js'
import { createClient, ConfigurationError, type ClientOptions } from '../../../src/index.js'

const valid: ClientOptions = {
  environment: 'mainnet',
  baseUrl: 'https://relayer.example',
  authKey: 'AAAA',
  priceBaseUrl: 'https://prices.example',
}

const errorText = (options: Partial<ClientOptions>): string => {
  try {
    createClient({ ...valid, ...options })
  } catch (error) {
    if (error instanceof ConfigurationError) return flagErrorText(error)
  }
  return 'accepted'
}

test('names the flag of an invalid option, without its value', () => {
  expect(
    [
      { authKey: 'not base64, and $ecret' },
      { baseUrl: 'relayer' },
      { baseUrl: 'http://relayer.example' },
      { priceBaseUrl: 'wss://prices.example' },
      { priceWsUrl: 'https://user:secret@prices.example' },
      { linger: -1 },
    ].map(errorText),
  ).toMatchInlineSnapshot(`
    [
      "--auth-key (SVC_AUTH_KEY): expected a base64 string of at least one byte",
      "--base-url (SVC_BASE_URL): expected a URL like https://… or http://…",
      "--base-url (SVC_BASE_URL): http: to another machine is not encrypted; use https: or set --allow-insecure",
      "--price-base-url (SVC_PRICE_BASE_URL): expected https://… or http://…, not wss:",
      "--price-ws-url (SVC_PRICE_WS_URL): expected wss://… or ws://…, not https:",
      "--linger: expected a finite number of at least 0",
    ]
  `)
})
