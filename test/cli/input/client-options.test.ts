import { isRight, left, right } from 'fp-ts/lib/Either.js'
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

describe('passes on only the options that a command needs', () => {
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

  test('both, if depth is available', () => {
    const { baseUrl, authKey, ...prices } = all
    expect(clientOptions(all, 'both')).toEqual(right(all))
    expect(clientOptions({ ...prices, baseUrl }, 'both')).toEqual(right(prices))
    expect(clientOptions({ ...prices, authKey }, 'both')).toEqual(right(prices))
    expect(clientOptions({ ...all, environment: 'testnet' }, 'both')).toEqual(
      right({ ...prices, environment: 'testnet' }),
    )
  })

  test('allowInsecure, if it is set', () => {
    expect(clientOptions({ ...all, allowInsecure: true }, 'both')).toEqual(
      right({ ...all, allowInsecure: true }),
    )
  })
})

describe('a gateway', () => {
  const gateway = 'http://127.0.0.1:8080'
  const prices = { priceBaseUrl: gateway, priceWsUrl: 'ws://127.0.0.1:8080/' }

  test('has prices, and unsigned depth without a key', () => {
    expect(clientOptions({ ...mainnet, gateway }, 'prices')).toEqual(right({ ...mainnet, ...prices }))
    for (const dataKind of ['depth', 'both'] as const) {
      expect(clientOptions({ ...mainnet, gateway, authKey: '' }, dataKind)).toEqual(
        right({ ...mainnet, ...prices, baseUrl: gateway, unsigned: true }),
      )
    }
  })

  test('precedes the addresses of the service', () => {
    expect(clientOptions({ ...all, gateway }, 'both')).toEqual(
      right({ ...mainnet, ...prices, baseUrl: gateway, authKey: all.authKey }),
    )
  })

  test('has signed depth with a key', () => {
    expect(clientOptions({ ...mainnet, gateway, authKey: 'AAAA' }, 'both')).toEqual(
      right({ ...mainnet, ...prices, baseUrl: gateway, authKey: 'AAAA' }),
    )
  })

  test('has no depth on testnet', () => {
    expect(clientOptions({ environment: 'testnet', gateway, authKey: 'AAAA' }, 'both')).toEqual(
      right({ environment: 'testnet', ...prices }),
    )
  })

  test.each([
    ['https://gate.example', 'wss://gate.example/'],
    ['https://gate.example:8443/svc?key=1', 'wss://gate.example:8443/svc?key=1'],
    ['http://gate.example/svc/', 'ws://gate.example/svc/'],
    ['http://[::1]:8080', 'ws://[::1]:8080/'],
  ])('%s has the WebSocket %s', (url, priceWsUrl) => {
    expect(clientOptions({ ...mainnet, gateway: url }, 'prices')).toEqual(
      right({ ...mainnet, priceBaseUrl: url, priceWsUrl }),
    )
  })

  test.each([
    ['gate.example:8080', 'expected https://… or http://…, not gate.example:'],
    ['8080', 'expected a URL like https://… or http://…'],
    ['ws://gate.example', 'expected https://… or http://…, not ws:'],
    ['http://user:secret@gate.example', 'credentials in a URL are not supported'],
    ['http://gate.example', 'http: to another machine is not encrypted; use https: or set --allow-insecure'],
  ])('rejects %s', (url, problem) => {
    expect(clientOptions({ ...mainnet, gateway: url, authKey: 'AAAA' }, 'both')).toEqual(
      left(`--gateway (SVC_GATEWAY): ${problem}`),
    )
  })

  test('may be unencrypted without a key, and with --allow-insecure', () => {
    const url = 'http://gate.example'
    expect(isRight(clientOptions({ ...mainnet, gateway: url }, 'both'))).toBe(true)
    expect(isRight(clientOptions({ ...mainnet, gateway: url, authKey: 'AAAA' }, 'prices'))).toBe(true)
    expect(
      isRight(clientOptions({ ...mainnet, gateway: url, authKey: 'AAAA', allowInsecure: true }, 'both')),
    ).toBe(true)
  })
})

test('names missing values with flag and variable, and no others', () => {
  expect(clientOptions(mainnet, 'depth')).toMatchInlineSnapshot(`
    {
      "_tag": "Left",
      "left": "the service is not configured. Set by flag or by environment variable:
      --base-url        SVC_BASE_URL        address of the relayer API, such as https://relayer.example:3000
      --auth-key        SVC_AUTH_KEY        key that signs depth requests, in base64
    To use a gateway instead, set --gateway (SVC_GATEWAY), or --nats (SVC_NATS).
    To try the command without a service, add --simulate, or run svc-streams simulate and paste its output.",
    }
  `)
  expect(clientOptions({ ...mainnet, baseUrl: all.baseUrl, priceBaseUrl: '' }, 'both'))
    .toMatchInlineSnapshot(`
      {
        "_tag": "Left",
        "left": "the service is not configured. Set by flag or by environment variable:
        --price-base-url  SVC_PRICE_BASE_URL  HTTP address of the price reporter, such as https://prices.example:3000
      To use a gateway instead, set --gateway (SVC_GATEWAY), or --nats (SVC_NATS).
      To try the command without a service, add --simulate, or run svc-streams simulate and paste its output.",
      }
    `)
})

test('treats an empty variable as not set', () => {
  const empty = { ...mainnet, baseUrl: '', authKey: '', priceBaseUrl: '', priceWsUrl: '', gateway: '' }
  const { priceBaseUrl } = all
  expect(clientOptions({ ...empty, priceBaseUrl }, 'both')).toEqual(right({ ...mainnet, priceBaseUrl }))
  for (const dataKind of ['prices', 'depth', 'both'] as const) {
    expect(clientOptions(empty, dataKind)).toEqual(clientOptions(mainnet, dataKind))
    expect(clientOptions(empty, dataKind)).toEqual(left(expect.stringContaining('--simulate')))
  }
})

test('has depth on mainnet with an address, and a key or a gateway', () => {
  expect(hasDepth(all)).toBe(true)
  expect(hasDepth({ ...all, environment: 'testnet' })).toBe(false)
  const { authKey, ...keyless } = all
  expect([hasDepth(keyless), hasDepth({ ...keyless, authKey })]).toEqual([false, true])
  expect(hasDepth({ ...keyless, unsigned: true })).toBe(true)
})
