import { inspect } from 'node:util'
import fc from 'fast-check'
import { right } from 'fp-ts/lib/Either.js'
import { createClient } from 'svc-streams'
import { describe, expect, it } from 'vitest'
import { signRequest } from '../../src/auth/sign-request.js'
import { configure } from '../../src/client/configuration.js'
import type { ClientOptions } from '../../src/client/options.js'
import { ConfigurationError } from '../../src/errors/configuration-error.js'
import { running } from '../support/simulator.js'
import { anyText } from '../support/arbitraries.js'

const authKey = Buffer.from('a secret of thirty-two bytes!!!!').toString('base64')

const minimal = { environment: 'testnet', priceBaseUrl: 'https://prices.example:3000' } as const

const full = {
  environment: 'mainnet',
  baseUrl: 'https://relayer.example:3000',
  priceBaseUrl: 'https://prices.example:3000',
  authKey,
} as const

/** Options as plain JavaScript may pass them. */
const configureAny = (options: unknown) => configure(options as ClientOptions)

const without = (name: string, options: ClientOptions): ClientOptions => {
  const rest = { ...options }
  Reflect.deleteProperty(rest, name)
  return rest
}

const refusal = (options: unknown): ConfigurationError => {
  try {
    configureAny(options)
  } catch (thrown) {
    if (thrown instanceof ConfigurationError) return thrown
    throw thrown
  }
  return expect.unreachable('took the options')
}

const durations = [
  'linger',
  'staleAfter',
  'confirmTimeout',
  'connectTimeout',
  'pingInterval',
  'pongTimeout',
  'requestTimeout',
  'authExpiration',
] as const

const counts = ['maxTopicsPerConnection', 'maxFramesPerSecond', 'maxFrameBytes', 'maxBodyBytes'] as const
const numbers = [...durations, ...counts] as const

const reconnectNumbers = ['initialDelay', 'maxDelay', 'stableAfter'] as const

/** What is not limited by default. */
const maybeNone: readonly string[] = ['maxTopicsPerConnection', 'maxFramesPerSecond']

const maybeZero: readonly string[] = ['linger', 'stableAfter']

const bad: readonly unknown[] = [
  NaN,
  Infinity,
  -Infinity,
  -1,
  -0.001,
  '1',
  '',
  'soon',
  1n,
  true,
  null,
  {},
  [],
  [1],
  () => 1,
]

describe('what is no options at all', () => {
  it.each([undefined, null, 'mainnet', 42, () => full])('%o is refused', (options) => {
    expect(refusal(options)).toMatchObject({ option: 'options' })
  })
})

describe('defaults', () => {
  it('are those of the doc comments', () => {
    expect(configure(minimal)).toEqual({
      chainId: 421614,
      service: 'svc',
      prices: { origin: 'https://prices.example:3000', prefix: '', query: '' },
      priceWsUrl: 'wss://prices.example:4000/',
      depth: undefined,
      limits: {
        linger: 1_000,
        staleAfter: 30_000,
        confirmTimeout: 10_000,
        connectTimeout: 10_000,
        pingInterval: 15_000,
        pongTimeout: 10_000,
        requestTimeout: 5_000,
        authExpiration: 10_000,
        maxTopicsPerConnection: Infinity,
        maxFramesPerSecond: Infinity,
        maxFrameBytes: 2 ** 20,
        maxBodyBytes: 2 ** 20,
      },
      reconnect: { initialDelay: 250, maxDelay: 30_000, stableAfter: 5_000 },
      ca: undefined,
      signal: undefined,
      webSocket: undefined,
      http: undefined,
    })
  })
})

describe('an option given as undefined', () => {
  const names = [
    ...[
      'environment',
      'priceBaseUrl',
      'priceWsUrl',
      'baseUrl',
      'authKey',
      'service',
      'allowInsecure',
      'ca',
      'signal',
    ],
    ...['reconnect', 'canonicalHeaders', 'webSocket', 'http'],
    ...numbers,
  ]

  it.each(names)('is a mistake, not an absence: %s', (name) => {
    expect(refusal({ ...full, [name]: undefined })).toMatchObject({
      option: name,
      message: `${name}: was given as undefined; leave it out, or set its value`,
    })
  })

  it.each(reconnectNumbers)('is a mistake, not an absence: reconnect.%s', (name) => {
    expect(refusal({ ...full, reconnect: { [name]: undefined } }).option).toBe(`reconnect.${name}`)
  })
})

describe('a misspelt name', () => {
  it('is rejected with a suggestion', () => {
    expect(refusal({ ...minimal, stalAfter: 1 })).toMatchObject({
      option: 'stalAfter',
      message: 'stalAfter: did you mean staleAfter?',
    })
    expect(refusal({ ...minimal, reconnect: { maxDealy: 1 } })).toMatchObject({
      option: 'reconnect.maxDealy',
      message: 'reconnect.maxDealy: did you mean reconnect.maxDelay?',
    })
    expect(refusal({ ...without('environment', minimal), enviroment: 'testnet' }).message).toBe(
      'enviroment: did you mean environment?',
    )
  })

  it('is not found in the result of a simulator or a gateway', async () => {
    const simulator = await running()
    expect(configureAny({ ...full, ...simulator }).depth).toBeDefined()
    const gateway = {
      unsigned: true,
      tokens: [],
      connections: [],
      inspect: () => ({}),
      close: () => undefined,
    }
    expect(configureAny({ ...full, ...gateway })).toBeDefined()
  })
})

describe('numbers', () => {
  describe.each(numbers)('%s', (name) => {
    const refused = bad.filter((value) => value !== Infinity || !maybeNone.includes(name))
    it.each(refused.map((value) => [value]))('refuses %o, and names itself', (value) => {
      const error = refusal({ ...minimal, [name]: value })
      expect(error.option).toBe(name)
      expect(error.message).toMatch(/expected a (?:finite )?number of at least [01]$/)
    })
  })

  describe.each(reconnectNumbers)('reconnect.%s', (name) => {
    it.each(bad.map((value) => [value]))('refuses %o, and names itself', (value) => {
      expect(refusal({ ...minimal, reconnect: { [name]: value } }).option).toBe(`reconnect.${name}`)
    })
  })

  it.each(maybeNone)('%s may be Infinity, as it is by default', (name) => {
    expect(configure({ ...minimal, [name]: Infinity }).limits).toHaveProperty(name, Infinity)
  })

  it.each([...numbers, ...reconnectNumbers])('may %s be 0?', (name) => {
    const isReconnect = reconnectNumbers.some((other) => other === name)
    const options = { ...minimal, ...(isReconnect ? { reconnect: { [name]: 0 } } : { [name]: 0 }) }
    if (maybeZero.includes(name)) expect(configure(options)).toBeDefined()
    else expect(refusal(options).option).toBe(isReconnect ? `reconnect.${name}` : name)
  })

  it('are taken as they are, each for itself', () => {
    const given = Object.fromEntries(numbers.map((name, i) => [name, 1000 - i]))
    expect(configure({ ...minimal, ...given }).limits).toEqual(given)
    const reconnect = { initialDelay: 1.5, maxDelay: 2, stableAfter: 0 }
    expect(configure({ ...minimal, reconnect }).reconnect).toEqual(reconnect)
    expect(configure({ ...minimal, reconnect: { maxDelay: 9 } }).reconnect).toMatchObject({
      initialDelay: 250,
      maxDelay: 9,
    })
  })
})

describe('pongTimeout', () => {
  it('is at most pingInterval', () => {
    expect(refusal({ ...minimal, pingInterval: 100, pongTimeout: 101 })).toMatchObject({
      option: 'pongTimeout',
      message: 'pongTimeout: expected at most pingInterval',
    })
    expect(refusal({ ...minimal, pongTimeout: 15_001 }).option).toBe('pongTimeout')
    expect(configure({ ...minimal, pingInterval: 100, pongTimeout: 100 }).limits.pongTimeout).toBe(100)
  })

  it('follows a shorter pingInterval where it is not given', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000 }), (pingInterval) => {
        expect(configure({ ...minimal, pingInterval }).limits.pongTimeout).toBe(
          Math.min(10_000, pingInterval),
        )
      }),
    )
  })
})

describe('options of other kinds', () => {
  it.each<[string, readonly unknown[]]>([
    ['allowInsecure', ['false', 'true', 0, 1, null, {}]],
    ['ca', [null, 1, true, {}, [], 'a certificate']],
    ['canonicalHeaders', [null, 'sorted', {}, 1]],
    ['reconnect', [null, 5, 'fast', true]],
    ['signal', [null, 'abort', 1, {}, new AbortController()]],
    ['webSocket', [null, 'ws', 1, {}, { dial: () => undefined }, { dial: 1, close: 1 }]],
    ['http', [null, 'undici', true, {}, { get: () => undefined }, fetch]],
  ])('%s is refused where it is something else', (name, values) => {
    expect(values.map((value) => refusal({ ...full, [name]: value }).option)).toEqual(values.map(() => name))
  })

  it('webSocket is told what it lacks', () => {
    expect(refusal({ ...full, webSocket: {} }).message).toBe(
      'webSocket: expected an object with the methods dial and close',
    )
  })

  it.each(['', '-', 'svc-', '-svc', 'a--b', 'a b', 'svc\n', 'svc:', 'é', 'x'.repeat(3) + '/', null, 1, {}])(
    'service may not be %j',
    (service) => {
      expect(refusal({ ...full, service }).option).toBe('service')
    },
  )

  it.each(['svc', 'acme', 'Acme2', 'my-svc', 'a_b', '7'])('service may be %j', (service) => {
    expect(configure({ ...minimal, service }).service).toBe(service)
  })
})

describe('environment (section 1)', () => {
  it.each(['', 'Mainnet', 'devnet', 'constructor', '__proto__', 42161, null, {}])(
    'is not %j',
    (environment) => {
      expect(refusal({ ...full, environment })).toMatchObject({
        option: 'environment',
        message: "environment: expected 'mainnet' or 'testnet'",
      })
    },
  )

  it('is not left out', () => {
    expect(refusal({ priceBaseUrl: 'https://prices.example' }).option).toBe('environment')
  })

  it('has its chain id', () => {
    expect(configure(full).chainId).toBe(42161)
    expect(configure({ ...full, environment: 'testnet' }).chainId).toBe(421614)
  })
})

describe('URLs', () => {
  it('priceBaseUrl is not left out', () => {
    expect(refusal({ environment: 'testnet' }).option).toBe('priceBaseUrl')
  })

  it.each(['priceBaseUrl', 'baseUrl', 'priceWsUrl'])('%s names itself where it is wrong', (name) => {
    const wrong = [
      '',
      'nowhere',
      'ftp://a.example',
      'https://user:secret@a.example',
      'wss://u:p@a.example',
      null,
      1,
      {},
    ]
    const options = wrong.map((value) => refusal({ ...full, [name]: value }).option)
    expect(options).toEqual(wrong.map(() => name))
  })

  it('keep their path and their query', () => {
    const { prices, depth, priceWsUrl } = configure({
      ...full,
      priceBaseUrl: 'https://gate.example/prices/?key=1',
      baseUrl: 'https://gate.example/relayer?key=2',
      priceWsUrl: 'wss://gate.example/live?key=3',
    })
    expect(prices).toEqual({ origin: 'https://gate.example', prefix: '/prices', query: '?key=1' })
    expect(depth?.relayer).toEqual({ origin: 'https://gate.example', prefix: '/relayer', query: '?key=2' })
    expect(priceWsUrl).toBe('wss://gate.example/live?key=3')
  })

  it.each([
    ['https://prices.example:3000', 'wss://prices.example:4000/'],
    ['https://prices.example', 'wss://prices.example:4000/'],
    ['http://127.0.0.1:3000', 'ws://127.0.0.1:4000/'],
    ['http://[::1]:80', 'ws://[::1]:4000/'],
    ['https://prices.example/base?key=1', 'wss://prices.example:4000/base?key=1'],
  ])('%s has its WebSocket at %s, where none is given', (priceBaseUrl, priceWsUrl) => {
    expect(configure({ ...minimal, priceBaseUrl }).priceWsUrl).toBe(priceWsUrl)
  })

  it.each([
    ['priceBaseUrl', 'http://prices.example'],
    ['baseUrl', 'http://relayer.example'],
    ['priceWsUrl', 'ws://prices.example'],
  ])('%s is not plain to another machine where a key is set, unless allowInsecure says so', (name, value) => {
    const options = { ...full, [name]: value }
    expect(refusal(options).option).toBe(name)
    expect(refusal({ ...options, allowInsecure: false }).option).toBe(name)
    expect(configure({ ...options, allowInsecure: true })).toBeDefined()
    expect(configure(without('authKey', options))).toBeDefined()
  })

  it.each(['localhost', 'a.localhost', '127.0.0.1', '127.9.9.9', '[::1]'])(
    'may be plain to %s with a key',
    (host) => {
      const local = {
        baseUrl: `http://${host}:3000`,
        priceBaseUrl: `http://${host}:3000`,
        priceWsUrl: `ws://${host}:4000`,
      }
      expect(configure({ ...full, ...local }).depth?.relayer.origin).toBe(`http://${host}:3000`)
    },
  )
})

describe('depth', () => {
  it('exists on mainnet, with baseUrl and authKey', () => {
    expect(configure(full).depth).toBeDefined()
    expect(configure({ ...full, environment: 'testnet' }).depth).toBeUndefined()
    expect(configure(without('baseUrl', full)).depth).toBeUndefined()
    expect(configure(without('authKey', full)).depth).toBeUndefined()
  })

  it('is signed with the key, under the name of the service, by canonicalHeaders (section 5)', () => {
    const canonicalHeaders = () => 'canonical'
    const { depth } = configure({ ...full, service: 'acme', canonicalHeaders })
    const headers = depth?.sign('/p', 1745462597105).headers ?? {}
    expect(headers['x-acme-auth-expiration']).toBe('1745462597105')
    const request = { key: authKey, path: '/p', headers, service: 'acme', canonicalHeaders }
    expect(signRequest(request)).toEqual(right(headers['x-acme-auth']))
  })

  it('is refused by name from plain JavaScript where it does not exist', async () => {
    const client = createClient(minimal) as ReturnType<typeof createClient> &
      Record<'depth' | 'depth$', () => unknown>
    expect(() => client.depth$()).toThrow(ConfigurationError)
    expect(() => client.depth()).toThrow(ConfigurationError)
    await client.close()
  })
})

describe('secrets', () => {
  const shownBy = (value: unknown): string =>
    [inspect(value, { depth: null, showHidden: true }), JSON.stringify(value), String(value)].join('\n')

  it.each(numbers)('are in no message, whatever else is wrong: %s', (name) => {
    const shown = shownBy(refusal({ ...full, baseUrl: 'https://h.example/?token=hush', [name]: NaN }))
    expect(shown).not.toContain(authKey)
    expect(shown).not.toContain('hush')
  })

  it('are in no message where the key itself is wrong', () => {
    const wrong = anyText.map((text) => `*${text}*`).filter((text) => new Set(text).size > 6)
    fc.assert(
      fc.property(wrong, (key) => {
        const error = refusal({ ...full, authKey: key })
        expect(error.option).toBe('authKey')
        expect(shownBy(error)).not.toContain(key)
      }),
    )
  })

  it.each([null, 1, {}, [], Buffer.from('key')])('a key that is no text is refused: %o', (key) => {
    expect(refusal({ ...full, authKey: key }).option).toBe('authKey')
  })

  it('are in no message where the URL is wrong', () => {
    const wrong = [
      'https://u:hush@h.example',
      'https://h.example/?hush#x',
      'http://h.example/hush',
      'hush',
      'gopher://hush',
    ]
    for (const baseUrl of wrong) expect(shownBy(refusal({ ...full, baseUrl }))).not.toContain('hush')
  })

  it('are not shown by the configuration, or the client', async () => {
    const client = createClient(full)
    expect(shownBy(configure(full))).not.toContain(authKey)
    expect(inspect(client, { depth: null, showHidden: true })).not.toContain(authKey)
    expect(JSON.stringify(client.inspect())).not.toContain(authKey)
    await client.close()
  })
})
