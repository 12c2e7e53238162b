import { inspect } from 'node:util'
import fc from 'fast-check'
import { right } from 'fp-ts/lib/Either.js'
import { createClient, signRequest } from 'svc-streams'
import { describe, expect, it } from 'vitest'
import { Secrets } from '../../src/wire/auth/secrets.js'
import { configure as configureOn } from '../../src/client/configuration.js'
import type { ClientOptions } from '../../src/client/options.js'
import { ConfigurationError } from '../../src/base/errors/configuration-error.js'
import { node } from '../../src/wire/platform/node.js'
import { startTestSimulator } from '../support/simulator.js'
import { anyText } from '../support/arbitraries.js'

const authKey = Buffer.from('a secret of thirty-two bytes!!!!').toString('base64')

const minimal = { environment: 'testnet', priceBaseUrl: 'https://prices.example:3000' } as const

const full = {
  environment: 'mainnet',
  baseUrl: 'https://relayer.example:3000',
  priceBaseUrl: 'https://prices.example:3000',
  authKey,
} as const

const configure = (options: ClientOptions) => configureOn(options, node)

/** Accepts any value, like a call from plain JavaScript. */
const configureAny = (options: unknown) => configure(options as ClientOptions)

const without = (name: string, options: ClientOptions): ClientOptions => {
  const rest = { ...options }
  Reflect.deleteProperty(rest, name)
  return rest
}

const rejection = (options: unknown): ConfigurationError => {
  try {
    configureAny(options)
  } catch (thrown) {
    if (thrown instanceof ConfigurationError) return thrown
    throw thrown
  }
  return expect.unreachable('accepted the options')
}

const durations = [
  'linger',
  'staleAfter',
  'confirmTimeout',
  'connectTimeout',
  'maxLag',
  'pingInterval',
  'pongTimeout',
  'requestTimeout',
  'authExpiration',
] as const

const counts = [
  'maxTopicsPerConnection',
  'maxFramesPerSecond',
  'maxRequestsPerSecond',
  'maxConcurrentRequests',
  'maxFrameBytes',
  'maxBodyBytes',
] as const
const numbers = [...durations, ...counts] as const

const reconnectNumbers = ['initialDelay', 'maxDelay', 'stableAfter'] as const

/** The options that may be `Infinity`. */
const unlimited: readonly string[] = [
  'maxTopicsPerConnection',
  'maxFramesPerSecond',
  'maxRequestsPerSecond',
  'maxLag',
]

/** The options that may be 0. */
const zeroable: readonly string[] = ['linger', 'stableAfter']

const invalid: readonly unknown[] = [
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

describe('options that are not an object', () => {
  it.each([undefined, null, 'mainnet', 42, () => full])('rejects %o', (options) => {
    expect(rejection(options)).toMatchObject({ option: 'options' })
  })
})

describe('defaults', () => {
  it('complete the required options', () => {
    expect(configure(minimal)).toEqual({
      chainId: 421614,
      service: 'svc',
      secrets: expect.any(Secrets) as unknown,
      prices: { origin: 'https://prices.example:3000', host: 'prices.example:3000', prefix: '', query: '' },
      priceWsUrls: ['wss://prices.example:4000/'],
      lines: 1,
      rotateAfter: Infinity,
      depth: undefined,
      linger: 1_000,
      staleAfter: 30_000,
      confirmTimeout: 10_000,
      connectTimeout: 10_000,
      maxLag: 5_000,
      pingInterval: 15_000,
      pongTimeout: 10_000,
      requestTimeout: 5_000,
      authExpiration: 10_000,
      maxTopicsPerConnection: Infinity,
      maxFramesPerSecond: Infinity,
      maxRequestsPerSecond: Infinity,
      maxConcurrentRequests: 64,
      maxFrameBytes: 2 ** 20,
      maxBodyBytes: 2 ** 20,
      reconnect: { initialDelay: 250, maxDelay: 30_000, stableAfter: 5_000 },
      ca: undefined,
      signal: undefined,
      webSocket: undefined,
      http: undefined,
    })
  })
})

describe('an explicit undefined', () => {
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
    ...['reconnect', 'canonicalHeaders', 'webSocket', 'http', 'unsigned', 'headers'],
    ...numbers,
  ]

  it.each(names)('is rejected for %s', (name) => {
    expect(rejection({ ...full, [name]: undefined })).toMatchObject({
      option: name,
      message: `${name}: is undefined; omit the option or set a value`,
    })
  })

  it.each(reconnectNumbers)('is rejected for reconnect.%s', (name) => {
    expect(rejection({ ...full, reconnect: { [name]: undefined } }).option).toBe(`reconnect.${name}`)
  })
})

describe('a misspelt name', () => {
  it('is rejected with a suggestion', () => {
    expect(rejection({ ...minimal, stalAfter: 1 })).toMatchObject({
      option: 'stalAfter',
      message: 'stalAfter: did you mean staleAfter?',
    })
    expect(rejection({ ...minimal, reconnect: { maxDealy: 1 } })).toMatchObject({
      option: 'reconnect.maxDealy',
      message: 'reconnect.maxDealy: did you mean reconnect.maxDelay?',
    })
    expect(rejection({ ...without('environment', minimal), enviroment: 'testnet' }).message).toBe(
      'enviroment: did you mean environment?',
    )
  })

  it('is not found in the result of a simulator or a gateway', async () => {
    const simulator = await startTestSimulator({})
    expect(configureAny({ ...full, ...simulator }).depth).toBeDefined()
    const gateway = {
      unsigned: true,
      tokens: [],
      connections: [],
      inspect: () => ({}),
      close: () => undefined,
    }
    expect(configureAny({ ...without('authKey', full), ...gateway }).depth).toBeDefined()
  })
})

describe('numbers', () => {
  describe.each(numbers)('%s', (name) => {
    const rejected = invalid.filter((value) => value !== Infinity || !unlimited.includes(name))
    it.each(rejected.map((value) => [value]))('rejects %o by name', (value) => {
      const error = rejection({ ...minimal, [name]: value })
      expect(error.option).toBe(name)
      expect(error.message).toMatch(
        /expected a (?:(?:finite )?number of at least [01]|whole number of at least 1(?:, or Infinity)?)$/,
      )
    })
  })

  describe.each(reconnectNumbers)('reconnect.%s', (name) => {
    it.each(invalid.map((value) => [value]))('rejects %o by name', (value) => {
      expect(rejection({ ...minimal, reconnect: { [name]: value } }).option).toBe(`reconnect.${name}`)
    })
  })

  it.each(counts)('rejects fractions for %s', (name) => {
    for (const value of [1.5, 1 + Number.EPSILON, 1e6 + 0.1, Number.MAX_VALUE]) {
      const suffix = unlimited.includes(name) ? ', or Infinity' : ''
      const message = `${name}: expected a whole number of at least 1${suffix}`
      expect(rejection({ ...minimal, [name]: value })).toMatchObject({ option: name, message })
    }
  })

  it.each(unlimited)('accepts Infinity for %s', (name) => {
    expect(configure({ ...minimal, [name]: Infinity })).toHaveProperty(name, Infinity)
  })

  it.each([...numbers, ...reconnectNumbers])('accepts 0 for %s only if its bound is 0', (name) => {
    const isReconnect = reconnectNumbers.some((other) => other === name)
    const options = { ...minimal, ...(isReconnect ? { reconnect: { [name]: 0 } } : { [name]: 0 }) }
    if (zeroable.includes(name)) expect(configure(options)).toBeDefined()
    else expect(rejection(options).option).toBe(isReconnect ? `reconnect.${name}` : name)
  })

  it('returns the values unchanged', () => {
    const given = Object.fromEntries(numbers.map((name, i) => [name, 1000 - i]))
    expect(configure({ ...minimal, ...given })).toMatchObject(given)
    const reconnect = { initialDelay: 1.5, maxDelay: 2, stableAfter: 0 }
    expect(configure({ ...minimal, reconnect }).reconnect).toEqual(reconnect)
    expect(configure({ ...minimal, reconnect: { maxDelay: 9 } }).reconnect).toMatchObject({
      initialDelay: 250,
      maxDelay: 9,
    })
  })
})

describe('pongTimeout', () => {
  it('rejects a value above pingInterval', () => {
    expect(rejection({ ...minimal, pingInterval: 100, pongTimeout: 101 })).toMatchObject({
      option: 'pongTimeout',
      message: 'pongTimeout: expected at most pingInterval',
    })
    expect(rejection({ ...minimal, pongTimeout: 15_001 }).option).toBe('pongTimeout')
    expect(configure({ ...minimal, pingInterval: 100, pongTimeout: 100 }).pongTimeout).toBe(100)
  })

  it('defaults to a shorter pingInterval', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000 }), (pingInterval) => {
        expect(configure({ ...minimal, pingInterval }).pongTimeout).toBe(Math.min(10_000, pingInterval))
      }),
    )
  })
})

describe('options that are not numbers', () => {
  it.each<[string, readonly unknown[]]>([
    ['allowInsecure', ['false', 'true', 0, 1, null, {}]],
    ['unsigned', ['true', 1, null, {}]],
    ['headers', [null, 'x-api-key: a', 1, [], [['x-api-key', 'a']], new Headers(), new Map()]],
    ['ca', [null, 1, true, {}, [], 'a certificate']],
    ['canonicalHeaders', [null, 'sorted', {}, 1]],
    ['reconnect', [null, 5, 'fast', true]],
    ['signal', [null, 'abort', 1, {}, new AbortController()]],
    ['webSocket', [null, 'ws', 1, {}, { dial: () => undefined }, { dial: 1, close: 1 }]],
    ['http', [null, 'undici', true, {}, { get: () => undefined }, fetch]],
  ])('rejects a %s of another type', (name, values) => {
    expect(values.map((value) => rejection({ ...full, [name]: value }).option)).toEqual(
      values.map(() => name),
    )
  })

  it('names the methods that webSocket lacks', () => {
    expect(rejection({ ...full, webSocket: {} }).message).toBe(
      'webSocket: expected an object with the methods dial and close',
    )
  })

  it.each(['', '-', 'svc-', '-svc', 'a--b', 'a b', 'svc\n', 'svc:', 'é', 'x'.repeat(3) + '/', null, 1, {}])(
    'rejects the service %j',
    (service) => {
      expect(rejection({ ...full, service }).option).toBe('service')
    },
  )

  it.each(['svc', 'acme', 'Acme2', 'my-svc', 'a_b', '7'])('accepts the service %j', (service) => {
    expect(configure({ ...minimal, service }).service).toBe(service)
  })
})

describe('environment (section 1)', () => {
  it.each(['', 'Mainnet', 'devnet', 'constructor', '__proto__', 42161, null, {}])(
    'rejects %j',
    (environment) => {
      expect(rejection({ ...full, environment })).toMatchObject({
        option: 'environment',
        message: "environment: expected 'mainnet' or 'testnet'",
      })
    },
  )

  it('is required', () => {
    expect(rejection({ priceBaseUrl: 'https://prices.example' }).option).toBe('environment')
  })

  it('selects the chain id', () => {
    expect(configure(full).chainId).toBe(42161)
    expect(configure({ ...full, environment: 'testnet' }).chainId).toBe(421614)
  })
})

describe('URLs', () => {
  it('priceBaseUrl is required', () => {
    expect(rejection({ environment: 'testnet' }).option).toBe('priceBaseUrl')
  })

  it.each(['priceBaseUrl', 'baseUrl', 'priceWsUrl'])('rejects an invalid %s by name', (name) => {
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
    const options = wrong.map((value) => rejection({ ...full, [name]: value }).option)
    expect(options).toEqual(wrong.map(() => name))
  })

  it.each([
    ['no URL', []],
    ['a URL twice', ['wss://a.example', 'wss://a.example/']],
    ['an invalid URL', ['wss://a.example', 'nowhere']],
    ['undefined', ['wss://a.example', undefined]],
  ])('rejects a list with %s', (_, priceWsUrl) => {
    expect(rejection({ ...full, priceWsUrl }).option).toBe('priceWsUrl')
  })

  it('keep path and query', () => {
    const { prices, depth, priceWsUrls } = configure({
      ...full,
      priceBaseUrl: 'https://gate.example/prices/?key=1',
      baseUrl: 'https://gate.example/relayer?key=2',
      priceWsUrl: 'wss://gate.example/live?key=3',
    })
    const [origin, host] = ['https://gate.example', 'gate.example:443']
    expect(prices).toEqual({ origin, host, prefix: '/prices', query: '?key=1' })
    expect(depth?.relayer).toEqual({ origin, host, prefix: '/relayer', query: '?key=2' })
    expect(priceWsUrls).toEqual(['wss://gate.example/live?key=3'])
  })

  it.each([
    ['https://prices.example:3000', 'wss://prices.example:4000/'],
    ['https://prices.example', 'wss://prices.example:4000/'],
    ['http://127.0.0.1:3000', 'ws://127.0.0.1:4000/'],
    ['http://[::1]:80', 'ws://[::1]:4000/'],
    ['https://prices.example/base?key=1', 'wss://prices.example:4000/base?key=1'],
  ])('derives priceWsUrl from %s: %s', (priceBaseUrl, priceWsUrl) => {
    expect(configure({ ...minimal, priceBaseUrl }).priceWsUrls).toEqual([priceWsUrl])
  })

  it.each([
    ['priceBaseUrl', 'http://prices.example'],
    ['baseUrl', 'http://relayer.example'],
    ['priceWsUrl', 'ws://prices.example'],
  ])(
    'rejects a %s without TLS to another machine if a key is set, unless allowInsecure is set',
    (name, value) => {
      const options = { ...full, [name]: value }
      expect(rejection(options).option).toBe(name)
      expect(rejection({ ...options, allowInsecure: false }).option).toBe(name)
      expect(configure({ ...options, allowInsecure: true })).toBeDefined()
      expect(configure(without('authKey', options))).toBeDefined()
    },
  )

  it.each(['localhost', 'a.localhost', '127.0.0.1', '127.9.9.9', '[::1]'])(
    'accepts addresses without TLS on %s with a key',
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

describe('headers', () => {
  const rejected = (headers: unknown, options: object = {}) => rejection({ ...full, ...options, headers })

  it('are part of the relayer access, with trimmed values', () => {
    const headers = { 'X-Api-Key': '  a b ', 'x-svc-tenant': '' }
    expect(configure({ ...full, headers }).depth?.headers).toEqual({ 'X-Api-Key': 'a b', 'x-svc-tenant': '' })
    expect(configure({ ...full, headers: {} }).depth?.headers).toEqual({})
  })

  it.each(['', ' ', 'a b', 'a:', 'a\r\nb', 'a\n', 'x-é', 'x-\u0000', '(a)', 'a,b', 'x"', 'ключ'])(
    'are rejected with the name %j, which the message does not contain',
    (name) => {
      expect(rejected({ [name]: 'a' })).toMatchObject({
        option: 'headers',
        message: 'headers: expected valid names of headers',
      })
    },
  )

  it.each([
    '\n',
    'a\r\nx: y',
    'a\n',
    '\ta',
    '\u0000',
    '\u007f',
    'é',
    '\u2028',
    1,
    null,
    true,
    {},
    ['a'],
    Symbol('a'),
  ])('are rejected with the value %o, which the message does not contain', (value) => {
    expect(rejected({ 'x-api-key': value })).toMatchObject({
      option: 'headers.x-api-key',
      message: 'headers.x-api-key: expected a string of ASCII characters without control characters',
    })
  })

  it('are rejected with a value that is undefined, like an option', () => {
    expect(rejected({ 'x-api-key': undefined }).message).toBe(
      'headers.x-api-key: is undefined; omit the header or set a value',
    )
  })

  it.each([
    'x-svc-auth',
    'X-SVC-Auth',
    'x-svc-auth-expiration',
    'X-Svc-Auth-Expiration',
    'Host',
    'content-length',
    'Transfer-Encoding',
    'connection',
    'keep-alive',
    'upgrade',
    'expect',
    'te',
    'trailer',
    'proxy-connection',
    'accept-encoding',
  ])('are rejected with the reserved name %s', (name) => {
    const reserved = `headers.${name}: is reserved: the client sets this header`
    expect(rejected({ [name]: 'a' }).message).toBe(reserved)
    expect(rejection({ ...without('authKey', full), unsigned: true, headers: { [name]: 'a' } }).message).toBe(
      reserved,
    )
  })

  it('are reserved by the name of the service', () => {
    expect(rejected({ 'x-ACME-auth': 'a' }, { service: 'Acme' }).option).toBe('headers.x-ACME-auth')
    expect(configure({ ...full, service: 'acme', headers: { 'x-svc-auth': 'a' } })).toBeDefined()
  })

  it('are rejected with two spellings of one name', () => {
    expect(rejected({ 'x-a': '1', 'X-A': '2' }).message).toBe(
      'headers.X-A: is given twice; header names are case-insensitive',
    )
  })

  it('require TLS to another relayer, but not to another price reporter, unless allowInsecure is set', () => {
    const plain = { environment: 'mainnet', unsigned: true, priceBaseUrl: 'http://prices.example' } as const
    const baseUrl = 'http://gateway.example'
    const headers = { 'x-api-key': 'a' }
    expect(configure({ ...plain, baseUrl }).depth).toBeDefined()
    expect(rejection({ ...plain, baseUrl, headers }).option).toBe('baseUrl')
    expect(configure({ ...plain, baseUrl, headers, allowInsecure: true }).depth).toBeDefined()
    expect(configure({ ...plain, baseUrl: 'http://localhost:1', headers }).depth).toBeDefined()
    expect(configure({ ...plain, baseUrl: 'https://gateway.example', headers }).depth).toBeDefined()
  })
})

describe('depth', () => {
  it('is available on mainnet with baseUrl and authKey', () => {
    expect(configure(full).depth).toBeDefined()
    expect(configure({ ...full, environment: 'testnet' }).depth).toBeUndefined()
    expect(configure(without('baseUrl', full)).depth).toBeUndefined()
    expect(configure(without('authKey', full)).depth).toBeUndefined()
  })

  it('is available with unsigned instead of a key, and is then not signed', () => {
    const unsigned = { ...without('authKey', full), unsigned: true }
    expect(configure(unsigned).depth).toMatchObject({ sign: undefined })
    expect(configure({ ...unsigned, environment: 'testnet' }).depth).toBeUndefined()
    expect(configure(without('baseUrl', unsigned)).depth).toBeUndefined()
    expect(configure({ ...unsigned, unsigned: false }).depth).toBeUndefined()
    expect(configure({ ...full, unsigned: false }).depth?.sign).toBeDefined()
  })

  it('is rejected with a key and unsigned, on every network', () => {
    for (const environment of ['mainnet', 'testnet']) {
      expect(rejection({ ...full, environment, unsigned: true })).toMatchObject({
        option: 'unsigned',
        message: 'unsigned: cannot be combined with authKey; omit one of them',
      })
    }
  })

  it('is signed with the key, the service name and canonicalHeaders (section 5)', () => {
    const canonicalHeaders = () => 'canonical'
    const { depth } = configure({ ...full, service: 'acme', canonicalHeaders })
    const headers = depth?.sign?.('/p', 1745462597105) ?? {}
    expect(headers['x-acme-auth-expiration']).toBe('1745462597105')
    const request = { key: authKey, path: '/p', headers, service: 'acme', canonicalHeaders }
    expect(signRequest(request)).toEqual(right(headers['x-acme-auth']))
  })

  it('throws a ConfigurationError from plain JavaScript if it is not available', async () => {
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

  it.each(numbers)('are in no error message of an invalid %s', (name) => {
    const shown = shownBy(rejection({ ...full, baseUrl: 'https://h.example/?token=hush', [name]: NaN }))
    expect(shown).not.toContain(authKey)
    expect(shown).not.toContain('hush')
  })

  it('are in no error message of an invalid key', () => {
    const wrong = anyText.map((text) => `*${text}*`).filter((text) => new Set(text).size > 6)
    fc.assert(
      fc.property(wrong, (key) => {
        const error = rejection({ ...full, authKey: key })
        expect(error.option).toBe('authKey')
        expect(shownBy(error)).not.toContain(key)
      }),
    )
  })

  it.each([null, 1, {}, [], Buffer.from('key')])('rejects %o as a key', (key) => {
    expect(rejection({ ...full, authKey: key }).option).toBe('authKey')
  })

  it('are in no error message of an invalid URL', () => {
    const wrong = [
      'https://u:hush@h.example',
      'https://h.example/?hush#x',
      'http://h.example/hush',
      'hush',
      'gopher://hush',
    ]
    for (const baseUrl of wrong) expect(shownBy(rejection({ ...full, baseUrl }))).not.toContain('hush')
  })

  it('are not visible in the configuration or the client', async () => {
    const client = createClient(full)
    expect(shownBy(configure(full))).not.toContain(authKey)
    expect(inspect(client, { depth: null, showHidden: true })).not.toContain(authKey)
    expect(JSON.stringify(client.inspect())).not.toContain(authKey)
    await client.close()
  })
})
