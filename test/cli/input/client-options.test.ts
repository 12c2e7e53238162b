import { left, right } from 'fp-ts/lib/Either.js'
import { describe, expect, test } from 'vitest'
import { clientOptions, hasDepth } from '../../../src/cli/input/client-options.js'

const mainnet = { environment: 'mainnet' } as const
const all = {
  ...mainnet,
  baseUrl: 'https://relayer.example',
  authKey: 'AAAA',
  priceBaseUrl: 'https://prices.example',
  priceWsUrl: 'wss://prices.example',
}

describe('only what a command needs is passed on', () => {
  test('prices', () => {
    const { priceBaseUrl, priceWsUrl } = all
    expect(clientOptions(all, 'prices')).toEqual(right({ ...mainnet, priceBaseUrl, priceWsUrl }))
    expect(clientOptions({ ...mainnet, priceBaseUrl }, 'prices')).toEqual(right({ ...mainnet, priceBaseUrl }))
  })

  test('depth', () => {
    const { baseUrl, authKey } = all
    const priceBaseUrl = 'https://prices.invalid'
    expect(clientOptions(all, 'depth')).toEqual(right({ ...mainnet, baseUrl, authKey, priceBaseUrl }))
  })

  test('both, where depth can be', () => {
    const { baseUrl, authKey, ...prices } = all
    expect(clientOptions(all, 'both')).toEqual(right(all))
    expect(clientOptions({ ...prices, baseUrl }, 'both')).toEqual(right(prices))
    expect(clientOptions({ ...prices, authKey }, 'both')).toEqual(right(prices))
    expect(clientOptions({ ...all, environment: 'testnet' }, 'both')).toEqual(
      right({ ...prices, environment: 'testnet' }),
    )
  })

  test('what was asked for by name', () => {
    expect(clientOptions({ ...all, allowInsecure: true }, 'both')).toEqual(
      right({ ...all, allowInsecure: true }),
    )
  })
})

test('what is missing is named with its flag and its variable, and nothing else is', () => {
  expect(clientOptions(mainnet, 'depth')).toMatchInlineSnapshot(`
    {
      "_tag": "Left",
      "left": "where is the service? Set this, by flag or by environment variable:
      --base-url        SVC_BASE_URL        the relayer API's address, such as https://relayer.example:3000
      --auth-key        SVC_AUTH_KEY        the key that depth requests are signed with, in base64
    To try it without a service, add --simulate, or run svc-streams simulate and paste what it prints.",
    }
  `)
  expect(clientOptions({ ...mainnet, baseUrl: all.baseUrl, priceBaseUrl: '' }, 'both'))
    .toMatchInlineSnapshot(`
    {
      "_tag": "Left",
      "left": "where is the service? Set this, by flag or by environment variable:
      --price-base-url  SVC_PRICE_BASE_URL  the price reporter's address, such as https://prices.example:3000
    To try it without a service, add --simulate, or run svc-streams simulate and paste what it prints.",
    }
  `)
})

test('an empty variable is one that is not set', () => {
  const empty = { ...mainnet, baseUrl: '', authKey: '', priceBaseUrl: '', priceWsUrl: '' }
  const { priceBaseUrl } = all
  expect(clientOptions({ ...empty, priceBaseUrl }, 'both')).toEqual(right({ ...mainnet, priceBaseUrl }))
  for (const wanted of ['prices', 'depth', 'both'] as const) {
    expect(clientOptions(empty, wanted)).toEqual(clientOptions(mainnet, wanted))
    expect(clientOptions(empty, wanted)).toEqual(left(expect.stringContaining('--simulate')))
  }
})

test('depth is there on mainnet, with an address and a key', () => {
  expect(hasDepth(all)).toBe(true)
  expect(hasDepth({ ...all, environment: 'testnet' })).toBe(false)
  const { authKey, ...keyless } = all
  expect([hasDepth(keyless), hasDepth({ ...keyless, authKey })]).toEqual([false, true])
})
