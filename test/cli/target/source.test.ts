import { Command } from 'commander'
import { isLeft, isRight, left, map, right, type Either } from 'fp-ts/lib/Either.js'
import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  clientOptions,
  configurationOf,
  resolveSource,
  type DataKind,
  type Source,
} from '../../../src/cli/target/source.js'
import {
  demoFlag,
  deploymentFlags,
  sourceFlags,
  type SourceValues,
} from '../../../src/cli/target/source-flags.js'
import { addFlags } from '../../../src/cli/target/parse-flags.js'
import { attempt } from '../../../src/cli/target/read-file.js'
import type { ClientOptions } from '../../../src/index.js'

describe('the source of a command', () => {
  afterEach(() => void vi.unstubAllEnvs())

  const select = (args: readonly string[], variables: Readonly<Record<string, string>> = {}) => {
    for (const option of Object.values(deploymentFlags)) {
      const { envVar = '' } = option
      vi.stubEnv(envVar, variables[envVar])
    }
    vi.stubEnv('SVC_ENVIRONMENT', undefined)
    const command = addFlags(new Command('tool'), { ...sourceFlags, demo: demoFlag })
    return attempt(() => resolveSource(command.parse(args, { from: 'user' })))
  }

  const service = {
    SVC_BASE_URL: 'https://a.example',
    SVC_PRICE_BASE_URL: 'https://b.example',
    SVC_PRICE_WS_URL: 'wss://c.example',
    SVC_AUTH_KEY: 'AAAA',
  }
  const gateway = { SVC_GATEWAY: 'https://g.example' }
  const nats = { SVC_NATS: 'nats://n.example' }
  const access = {
    _tag: 'Addresses',
    environment: 'mainnet',
    allowInsecure: undefined,
    lines: undefined,
  } as const
  const serviceSource: Source = {
    ...access,
    baseUrl: 'https://a.example',
    priceBaseUrl: 'https://b.example',
    priceWsUrls: ['wss://c.example'],
    authKey: 'AAAA',
  }
  const gatewaySourceOf = (url: string): Source => ({
    ...{ ...access, baseUrl: url, priceBaseUrl: url, priceWsUrls: [url.replace('http', 'ws')] },
    ...{ gateways: [url], authKey: undefined },
  })
  const gatewaySource = gatewaySourceOf('https://g.example')
  const natsSource: Source = { _tag: 'Nats', environment: 'mainnet', servers: 'nats://n.example' }
  const simulatorSource: Source = { _tag: 'Simulator', environment: 'mainnet', isDemo: false }

  describe('environment variables', () => {
    test('select the service, or the gateway if there is one', () => {
      expect(select([], service)).toEqual(right(serviceSource))
      expect(select([], gateway)).toEqual(right(gatewaySource))
      expect(select([], { ...service, ...gateway })).toEqual(right({ ...gatewaySource, authKey: 'AAAA' }))
      expect(select([], { ...service, SVC_GATEWAY: '' })).toEqual(right(serviceSource))
    })

    test('exclude no flag', () => {
      const all = { ...service, ...gateway, ...nats }
      expect(select(['--gateway', 'http://h.example'], all)).toEqual(
        right({ ...gatewaySourceOf('http://h.example'), authKey: 'AAAA' }),
      )
      expect(select(['--base-url', 'https://d.example'], all)).toEqual(
        right({ ...serviceSource, baseUrl: 'https://d.example' }),
      )
      expect(select(['--simulate'], all)).toEqual(right(simulatorSource))
      expect(select(['--auth-key', 'BBBB'], { ...service, ...gateway })).toEqual(
        right({ ...gatewaySource, authKey: 'BBBB' }),
      )
    })
  })

  describe('NATS', () => {
    test('precedes the gateway and the service, by its variable', () => {
      expect(select([], nats)).toEqual(right(natsSource))
      expect(select([], { ...service, ...gateway, ...nats })).toEqual(right(natsSource))
      expect(select([], { ...gateway, SVC_NATS: '' })).toEqual(right(gatewaySource))
    })

    test('precedes all variables as a flag', () => {
      const all = { ...service, ...gateway, ...nats }
      expect(select(['--nats', 'nats://m.example'], all)).toEqual(
        right({ ...natsSource, servers: 'nats://m.example' }),
      )
    })
  })

  test('is a simulator with faults by --demo', () => {
    expect(select(['--demo'])).toEqual(right({ ...simulatorSource, isDemo: true }))
  })

  describe('a recording', () => {
    test('precedes all variables, and has a speed', () => {
      const args = ['--recording', 'a', '--recording', 'b', '--speed', '2']
      expect(select(args, { ...service, ...gateway, ...nats })).toEqual(
        right({ _tag: 'Recording', files: ['a', 'b'], speed: 2 }),
      )
    })

    test('is required for --speed', () => {
      expect(select(['--speed', '2'])).toEqual(left('--speed: applies only to --recording; remove it'))
    })
  })

  describe('flags of two sources', () => {
    test.each([
      ['--price-ws-url', ['--simulate', '--price-ws-url', 'wss://d.example'], '--simulate'],
      ['--auth-key', ['--simulate', '--auth-key', 'AAAA'], '--simulate'],
      ['--gateway', ['--simulate', '--gateway', 'http://h.example'], '--simulate'],
      ['--nats', ['--simulate', '--nats', 'nats://h.example'], '--simulate'],
      ['--gateway', ['--nats', 'nats://h.example', '--gateway', 'http://h.example'], '--nats'],
      ['--base-url', ['--nats', 'nats://h.example', '--base-url', 'https://d.example'], '--nats'],
      ['--gateway', ['--demo', '--gateway', 'http://h.example'], '--demo'],
      ['--base-url', ['--gateway', 'http://h.example', '--base-url', 'https://d.example'], '--gateway'],
      ['--simulate', ['--recording', 'a', '--simulate'], '--recording'],
      ['--nats', ['--recording', 'a', '--nats', 'nats://h.example'], '--recording'],
    ])('%s conflicts in %j', (other, args, source) => {
      expect(select(args)).toEqual(left(`${other}: cannot be combined with ${source}; remove one of them`))
    })

    test('--gateway and --auth-key do not conflict', () => {
      expect(select(['--gateway', 'http://h.example', '--auth-key', 'AAAA'])).toEqual(
        right({ ...gatewaySourceOf('http://h.example'), authKey: 'AAAA' }),
      )
    })
  })
})

describe('the client options of a source', () => {
  /** The source that these flags or variables select. */
  const sourceOf = (flags: SourceValues) => {
    const command = new Command('tool')
    for (const [name, value] of Object.entries(flags)) command.setOptionValueWithSource(name, value, 'env')
    const source = resolveSource(command)
    if (source._tag === 'Addresses') return source
    throw new Error('neither a service nor a gateway')
  }

  /** Without what is the default of the client. */
  const optionsOf = (flags: SourceValues, dataKind: DataKind): Either<string, Partial<ClientOptions>> =>
    map(({ allowInsecure, lines, priceWsUrl, ...options }: ClientOptions) => ({
      ...options,
      ...(allowInsecure === true ? { allowInsecure } : {}),
      ...(lines === 1 ? {} : { lines }),
      ...(priceWsUrl === undefined
        ? {}
        : { priceWsUrl: priceWsUrl.length === 1 ? priceWsUrl[0] : priceWsUrl }),
    }))(attempt(() => clientOptions(sourceOf(flags), dataKind)))

  const configured = (flags: SourceValues, dataKind: DataKind) =>
    attempt(() => configurationOf(sourceOf(flags), dataKind))

  const mainnet = { environment: 'mainnet' } as const
  const all = {
    ...mainnet,
    baseUrl: 'https://relayer.example',
    authKey: 'AAAA',
    priceBaseUrl: 'https://prices.example',
    priceWsUrl: 'wss://prices.example',
  }

  describe('with several addresses', () => {
    const gateway = 'http://a.example,http://b.example'
    const priceWsUrl = ['ws://a.example', 'ws://b.example']

    test('has two lines, and the HTTP address of the first gateway', () => {
      expect(optionsOf({ ...mainnet, gateway }, 'both')).toEqual(
        right({
          ...mainnet,
          priceBaseUrl: 'http://a.example',
          baseUrl: 'http://a.example',
          unsigned: true,
          priceWsUrl,
          lines: 2,
        }),
      )
      const { priceBaseUrl } = all
      expect(
        optionsOf({ ...mainnet, priceBaseUrl, priceWsUrl: 'wss://a.example,wss://b.example' }, 'prices'),
      ).toEqual(
        right({ ...mainnet, priceBaseUrl, priceWsUrl: ['wss://a.example', 'wss://b.example'], lines: 2 }),
      )
    })

    test.each([
      ['http://a.example,gate', 'expected a URL like https://… or http://…'],
      ['http://a.example,http://', 'expected a URL like wss://… or ws://…'],
      ['http://a.example,ws://b.example', 'expected https://… or http://…, not ws:'],
      ['http://a.example,http://a.example', 'contains a URL twice'],
      ['http://a.example,http://user:secret@b.example', 'credentials in a URL are not supported'],
    ])('rejects %s', (urls, problem) => {
      expect(configured({ ...mainnet, gateway: urls }, 'both')).toEqual(
        left(`--gateway (SVC_GATEWAY): ${problem}`),
      )
    })

    test('has as many lines as --lines', () => {
      expect(optionsOf({ ...mainnet, gateway, lines: 1 }, 'prices')).toEqual(
        right({ ...mainnet, priceBaseUrl: 'http://a.example', priceWsUrl }),
      )
      expect(optionsOf({ ...all, lines: 3 }, 'prices')).toMatchObject(right({ lines: 3 }))
    })
  })

  describe('passes on only the options that a command needs', () => {
    test('prices', () => {
      const { priceBaseUrl, priceWsUrl } = all
      expect(optionsOf(all, 'prices')).toEqual(right({ ...mainnet, priceBaseUrl, priceWsUrl }))
      expect(optionsOf({ ...mainnet, priceBaseUrl }, 'prices')).toEqual(right({ ...mainnet, priceBaseUrl }))
    })

    test('depth', () => {
      const { baseUrl, authKey } = all
      const priceBaseUrl = 'https://prices.invalid'
      expect(optionsOf(all, 'depth')).toEqual(right({ ...mainnet, baseUrl, authKey, priceBaseUrl }))
    })

    test('both, if depth is available', () => {
      const { baseUrl, authKey, ...prices } = all
      expect(optionsOf(all, 'both')).toEqual(right(all))
      expect(optionsOf({ ...prices, baseUrl }, 'both')).toEqual(right(prices))
      expect(optionsOf({ ...prices, authKey }, 'both')).toEqual(right(prices))
      expect(optionsOf({ ...all, environment: 'testnet' }, 'both')).toEqual(
        right({ ...prices, environment: 'testnet' }),
      )
    })

    test('allowInsecure, if it is set', () => {
      expect(optionsOf({ ...all, allowInsecure: true }, 'both')).toEqual(
        right({ ...all, allowInsecure: true }),
      )
    })
  })

  describe('a gateway', () => {
    const gateway = 'http://127.0.0.1:8080'
    const prices = { priceBaseUrl: gateway, priceWsUrl: 'ws://127.0.0.1:8080' }

    test('has prices, and unsigned depth without a key', () => {
      expect(optionsOf({ ...mainnet, gateway }, 'prices')).toEqual(right({ ...mainnet, ...prices }))
      for (const dataKind of ['depth', 'both'] as const) {
        expect(optionsOf({ ...mainnet, gateway, authKey: '' }, dataKind)).toEqual(
          right({ ...mainnet, ...prices, baseUrl: gateway, unsigned: true }),
        )
      }
    })

    test('precedes the addresses of the service', () => {
      expect(optionsOf({ ...all, gateway }, 'both')).toEqual(
        right({ ...mainnet, ...prices, baseUrl: gateway, authKey: all.authKey }),
      )
    })

    test('has signed depth with a key', () => {
      expect(optionsOf({ ...mainnet, gateway, authKey: 'AAAA' }, 'both')).toEqual(
        right({ ...mainnet, ...prices, baseUrl: gateway, authKey: 'AAAA' }),
      )
    })

    test('has no depth on testnet', () => {
      expect(optionsOf({ environment: 'testnet', gateway, authKey: 'AAAA' }, 'both')).toEqual(
        right({ environment: 'testnet', ...prices }),
      )
    })

    test.each([
      ['https://gate.example', 'wss://gate.example'],
      ['https://gate.example:8443/svc?key=1', 'wss://gate.example:8443/svc?key=1'],
      ['http://gate.example/svc/', 'ws://gate.example/svc/'],
      ['http://[::1]:8080', 'ws://[::1]:8080'],
    ])('%s has the WebSocket %s', (url, priceWsUrl) => {
      expect(optionsOf({ ...mainnet, gateway: url }, 'prices')).toEqual(
        right({ ...mainnet, priceBaseUrl: url, priceWsUrl }),
      )
    })

    test.each([
      ['gate.example:8080', 'expected https://… or http://…, not gate.example:'],
      ['8080', 'expected a URL like https://… or http://…'],
      ['ws://gate.example', 'expected https://… or http://…, not ws:'],
      ['http://user:secret@gate.example', 'credentials in a URL are not supported'],
      [
        'http://gate.example',
        'http: to another machine is not encrypted; use https: or set --allow-insecure',
      ],
    ])('rejects %s', (url, problem) => {
      expect(configured({ ...mainnet, gateway: url, authKey: 'AAAA' }, 'both')).toEqual(
        left(`--gateway (SVC_GATEWAY): ${problem}`),
      )
    })

    test('may be unencrypted without a key, and with --allow-insecure', () => {
      const url = 'http://gate.example'
      expect(isRight(configured({ ...mainnet, gateway: url }, 'both'))).toBe(true)
      expect(isRight(configured({ ...mainnet, gateway: url, authKey: 'AAAA' }, 'prices'))).toBe(true)
      expect(
        isRight(configured({ ...mainnet, gateway: url, authKey: 'AAAA', allowInsecure: true }, 'both')),
      ).toBe(true)
    })
  })

  test('names missing values with flag and variable, and no others', () => {
    expect(optionsOf(mainnet, 'depth')).toMatchInlineSnapshot(`
    {
      "_tag": "Left",
      "left": "the service is not configured. Set by flag or by environment variable:
      --base-url        SVC_BASE_URL        address of the relayer API, for depth: https://host:port
      --auth-key        SVC_AUTH_KEY        key that signs depth requests; other users of this machine can read flags: prefer the variable
    To use a gateway instead, set --gateway (SVC_GATEWAY), or --nats (SVC_NATS).
    To try the command without a service, add --simulate, or run npx svc-streams simulate and paste its output.",
    }
  `)
    expect(optionsOf({ ...mainnet, baseUrl: all.baseUrl, priceBaseUrl: '' }, 'both')).toMatchInlineSnapshot(`
      {
        "_tag": "Left",
        "left": "the service is not configured. Set by flag or by environment variable:
        --price-base-url  SVC_PRICE_BASE_URL  HTTP address of the price reporter: https://host:port
      To use a gateway instead, set --gateway (SVC_GATEWAY), or --nats (SVC_NATS).
      To try the command without a service, add --simulate, or run npx svc-streams simulate and paste its output.",
      }
    `)
  })

  test('treats an empty variable as not set', () => {
    const empty = { ...mainnet, baseUrl: '', authKey: '', priceBaseUrl: '', priceWsUrl: '', gateway: '' }
    const { priceBaseUrl } = all
    expect(optionsOf({ ...empty, priceBaseUrl }, 'both')).toEqual(right({ ...mainnet, priceBaseUrl }))
    for (const dataKind of ['prices', 'depth', 'both'] as const) {
      expect(optionsOf(empty, dataKind)).toEqual(optionsOf(mainnet, dataKind))
      expect(optionsOf(empty, dataKind)).toEqual(left(expect.stringContaining('--simulate')))
    }
  })

  test('has depth on mainnet with an address, and a key or a gateway', () => {
    const hasDepth = (flags: SourceValues): boolean => {
      const configuration = configured(flags, 'both')
      return isRight(configuration) && configuration.right.depth !== undefined
    }
    const { authKey, ...keyless } = all
    expect([hasDepth(all), hasDepth({ ...all, environment: 'testnet' })]).toEqual([true, false])
    expect([hasDepth(keyless), hasDepth({ ...keyless, authKey })]).toEqual([false, true])
    expect(hasDepth({ ...mainnet, gateway: 'https://gate.example' })).toBe(true)
  })

  test('names the flag of an invalid option, without its value', () => {
    const errorText = (flags: SourceValues): string => {
      const configuration = configured({ ...all, ...flags }, 'both')
      return isLeft(configuration) ? configuration.left : 'accepted'
    }
    expect(
      [
        { authKey: 'not base64, and $ecret' },
        { baseUrl: 'relayer' },
        { baseUrl: 'http://relayer.example' },
        { priceBaseUrl: 'wss://prices.example' },
        { priceWsUrl: 'https://user:secret@prices.example' },
        { lines: 7 },
      ].map(errorText),
    ).toMatchInlineSnapshot(`
    [
      "--auth-key (SVC_AUTH_KEY): expected a base64 string of at least one byte, without spaces and line ends",
      "--base-url (SVC_BASE_URL): expected a URL like https://… or http://…",
      "--base-url (SVC_BASE_URL): http: to another machine is not encrypted; use https: or set --allow-insecure",
      "--price-base-url (SVC_PRICE_BASE_URL): expected https://… or http://…, not wss:",
      "--price-ws-url (SVC_PRICE_WS_URL): expected wss://… or ws://…, not https:",
      "--lines: expected a whole number from 1 to 4",
    ]
  `)
  })
})
