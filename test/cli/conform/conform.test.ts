import type { TokenOptions } from 'svc-streams/simulator'
import { beforeAll, describe, expect, it, test } from 'vitest'
import type { WebSocket } from 'ws'
import { rules, type RuleId } from '../../../src/cli/conform/rules.js'
import { readPage } from '../../docs/support/block.js'
import { startTestGateway } from '../../gateway/support/start-test-gateway.js'
import { startHttpServer, startWebSocketServer } from '../../support/network/servers.js'
import { createClientFor, fastMarket, startTestSimulator } from '../../support/simulator.js'
import { eventually } from '../../support/time/eventually.js'
import { ethTopic, weth } from '../../support/tokens.js'
import { runInProcess, startInProcess } from '../support/in-process.js'
import { startWrongGateway, topicLimit } from './support/wrong-gateway.js'

const ids = Object.keys(rules) as RuleId[]

interface RuleRow {
  readonly rule: RuleId
  readonly sentence: string
  readonly result: 'passed' | 'failed' | 'not tested'
  readonly why?: string
}

const conform = async (...args: readonly string[]) => {
  const { code, stdout, stderr } = await runInProcess(['conform', '--json', ...args])
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as RuleRow)
  const having = (result: RuleRow['result']) => rows.filter((row) => row.result === result)
  // A failed rule with its reason: a test that expects none prints it.
  const broken = having('failed').map(({ rule, why = '' }) => `${rule}: ${why}`)
  return {
    code,
    stderr,
    rows,
    broken,
    failed: having('failed').map(({ rule }) => rule),
    untested: having('not tested').map(({ rule }) => rule),
  }
}

const ofGateways = ids.filter((id) => id.startsWith('gateway-'))

describe('svc-streams conform', () => {
  it('finds that the simulator keeps each rule of a service', async () => {
    const { priceBaseUrl, priceWsUrl } = await startTestSimulator(fastMarket)
    const { code, broken, untested, rows } = await conform(priceBaseUrl, '--price-ws-url', priceWsUrl)
    expect({ code, broken, untested }).toEqual({ code: 0, broken: [], untested: ['age-live', ...ofGateways] })
    expect(rows.map(({ rule, sentence }) => [rule, sentence])).toEqual(Object.entries(rules))
  })

  it('finds that a gateway keeps each rule of a gateway', async () => {
    const client = createClientFor(await startTestSimulator(fastMarket))
    const { priceBaseUrl } = await startTestGateway(client, { maxTopicsPerConnection: 5 })
    const { code, broken, untested } = await conform(priceBaseUrl, '--topic-limit', '5')
    expect({ code, broken, untested }).toEqual({ code: 0, broken: [], untested: ['gateway-down'] })
  })

  it('finds that a gateway keeps each rule for a price below 0.000001', async () => {
    const tokens: readonly TokenOptions[] = [{ address: weth, symbol: 'TINY', decimals: 18, price: 2.5e-7 }]
    const client = createClientFor(await startTestSimulator({ ...fastMarket, tokens }))
    const { priceBaseUrl } = await startTestGateway(client)
    const { broken } = await conform(priceBaseUrl, '--topic', ethTopic)
    expect(broken).toEqual([])
  })

  it('finds that a gateway whose service is down refuses connections, and tests nothing else of it', async () => {
    const simulator = await startTestSimulator(fastMarket)
    const client = createClientFor(simulator)
    const { priceBaseUrl, ...gateway } = await startTestGateway(client)
    const subscription = client.price$(ethTopic).subscribe()
    await simulator.close()
    await eventually(() => expect(gateway.inspect().upstream._tag).not.toBe('Open'))
    const { code, rows } = await conform(priceBaseUrl)
    expect(rows.filter(({ result }) => result === 'passed').map(({ rule }) => rule)).toEqual([
      'gateway-health',
      'gateway-history',
      'gateway-down',
    ])
    expect(code).toBe(0)
    subscription.unsubscribe()
  })

  it('prints one line per rule, and how many are broken', async () => {
    const simulator = await startTestSimulator({ ...fastMarket, faults: { garbage: ['wrong-price'] } })
    const { code, stdout, stderr } = await runInProcess([
      'conform',
      simulator.priceBaseUrl,
      '--price-ws-url',
      simulator.priceWsUrl,
    ])
    const lines = stdout.split('\n')
    expect([...lines.slice(0, 3), lines[ids.indexOf('price-form')]]).toEqual([
      `socket-opens         passed      ${rules['socket-opens']}`,
      `subscribe-confirmed  passed      ${rules['subscribe-confirmed']}`,
      `price-sent           passed      ${rules['price-sent']}`,
      `price-form           failed      got {"topic":"${ethTopic}","price":"12.5"}`,
    ])
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'error: 1 of 22 rules are broken\n' })
  })

  it('prints one line if nothing listens at the address', async () => {
    expect(await runInProcess(['conform', 'http://127.0.0.1:9'])).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'error: no connection to 127.0.0.1:9 (connect ECONNREFUSED 127.0.0.1:9): check that the server runs, and that the address is right, with its port\n',
    })
  })

  it.each([
    ['ftp://127.0.0.1', [], 'url: expected an address like http://127.0.0.1:8080'],
    [
      'http://127.0.0.1',
      ['--price-ws-url', 'http://x'],
      '--price-ws-url: expected an address like ws://127.0.0.1:8080',
    ],
    ['http://127.0.0.1', ['--topic', '0xab'], '--topic: expected a topic like svc-0x82af…'],
  ])('rejects the arguments %s %j', async (url, flags, message) => {
    const { code, stderr } = await runInProcess(['conform', url, ...flags])
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining(`error: ${message}\n`) as string,
    })
  })
})

const httpAddress = (url: string): string => url.replace(/^ws/, 'http')

/** A gateway that answers no subscribe for an unknown token, and sends its prices without an age. */
const startSlowGateway = async (): Promise<string> => {
  const sendPrices = (socket: WebSocket): void => {
    const timer = setInterval(() => socket.send(JSON.stringify({ topic: ethTopic, price: 1.5 })), 10)
    socket.on('close', () => clearInterval(timer))
    socket.on('message', (data: Buffer) => {
      if (data.toString() === JSON.stringify({ method: 'subscribe', topic: ethTopic }))
        socket.send(JSON.stringify({ subscriptions: [ethTopic] }))
    })
  }
  const { url } = await startWebSocketServer(sendPrices, {
    onRequest: ({ url: path }, response) =>
      response.end(path === '/health' ? '{"status":"up","upstream":"Open"}' : '1.5'),
  })
  return httpAddress(url)
}

describe('svc-streams conform, for a wrong service', () => {
  const whyOf = async (onSocket: (socket: WebSocket) => void) => {
    const { url } = await startWebSocketServer(onSocket)
    const { rows } = await conform(httpAddress(url), '--timeout', '300')
    return (rule: RuleId) => {
      const { result, why } = rows.find((row) => row.rule === rule) ?? {}
      return why === undefined ? result : `${result}: ${why}`
    }
  }

  it('ends for a service that floods it with prices of another topic', async () => {
    const whyThat = await whyOf((socket) => {
      const flood = setInterval(() => {
        for (let sent = 0; sent < 2_000; sent++) socket.send('{"topic":"svc-0xabcd","price":1}')
      }, 5)
      socket.on('close', () => clearInterval(flood))
    })
    expect(whyThat('subscribed-only')).toBe('failed: got {"topic":"svc-0xabcd","price":1}')
    expect(whyThat('subscribe-confirmed')).toMatch(/^failed: /)
    expect(whyThat('ping-answered')).toBe(
      'not tested: this command closed the connection: more than 20000 messages arrived',
    )
  })

  it('says that it closes the connection itself, at a message that is too long', async () => {
    const whyThat = await whyOf((socket) => {
      socket.on('error', () => undefined)
      socket.send('x'.repeat(2 ** 21))
    })
    expect(whyThat('subscribe-confirmed')).toBe(
      'failed: this command closed the connection: a message had more than 1048576 bytes',
    )
  })

  it('says that the server closes with 1009, if it does', async () => {
    const whyThat = await whyOf((socket) => socket.on('message', () => socket.close(1009, 'too long')))
    expect(whyThat('subscribe-confirmed')).toBe('failed: the connection was closed with 1009: too long')
    expect(whyThat('malformed-answered')).toMatch(/^not tested: the connection was closed with 1009/)
  })

  it('tests no rule of an open WebSocket if none opens', async () => {
    const { priceBaseUrl } = await startTestSimulator(fastMarket)
    const { rows } = await conform(priceBaseUrl, '--timeout', '300')
    expect(rows.find(({ rule }) => rule === 'price-sent')).toMatchObject({
      result: 'not tested',
      why: 'the WebSocket does not open',
    })
  })

  it('prints a line as soon as its result is known', async () => {
    const { url } = await startWebSocketServer(() => undefined)
    const command = startInProcess(['conform', httpAddress(url), '--timeout', '500'])
    await eventually(() => expect(command.stdout).toMatch(/^socket-opens +passed .*\n$/))
    await eventually(() => expect(command.stdout).toMatch(/\nsubscribe-confirmed +failed .*\n$/))
    await command.waitForExit()
  })

  it('ends after 30 times --timeout, with a result of each rule', async () => {
    const { code, stderr, rows } = await conform(await startSlowGateway(), '--timeout', '150')
    expect(rows.map(({ rule }) => rule)).toEqual(ids)
    const late = 'the command has ended after 30 times --timeout'
    expect(rows.find(({ rule }) => rule === 'gateway-health')?.why).toBe(late)
    expect({ code, stderr }).toEqual({ code: 1, stderr: `error: ${late}\n` })
  })

  it('finds a gateway by the fields of its health, in any order, and prints the page of an error', async () => {
    const origin = await startHttpServer((request, response) => {
      if (request.url === '/health') response.end('{ "upstream": "Open", "status": "up" }')
      else request.socket.destroy()
    })
    const { rows } = await conform(origin, '--timeout', '300')
    expect(rows.find(({ rule }) => rule === 'gateway-health')?.result).toBe('passed')
    expect(rows.find(({ rule }) => rule === 'http-price')?.why).toMatch(/^no response: /)
  })

  it('says with which code and reason it closes', async () => {
    const whyThat = await whyOf((socket) => socket.close(1008, 'too many connections'))
    const why = 'the connection was closed with 1008: too many connections'
    expect(whyThat('subscribe-confirmed')).toBe(`failed: ${why}`)
    expect(whyThat('price-sent')).toBe(`not tested: ${why}`)
    expect(whyThat('ping-answered')).toBe(`not tested: ${why}`)
    expect(whyThat('frame-form')).toBe('not tested: no frame came')
    expect(whyThat('subscribed-only')).toBe('not tested: no frame came')
  })

  it('names the flag for a WebSocket that has another address', async () => {
    const { priceBaseUrl } = await startTestSimulator(fastMarket)
    const { rows } = await conform(priceBaseUrl, '--timeout', '300')
    expect(rows.find(({ rule }) => rule === 'socket-opens')?.why).toMatch(/give --price-ws-url$/)
  })
})

describe('a gateway that was written from the documentation', () => {
  /** Rules that need a service that is down, or a price. */
  const unbreakable: readonly RuleId[] = ['gateway-down', 'price-sent']
  const breakable = ids.filter((id) => !unbreakable.includes(id))
  const outcomes = new Map<RuleId | undefined, Awaited<ReturnType<typeof conform>>>()

  // At the same time: a rule that is broken by silence takes the whole limit.
  beforeAll(async () => {
    await Promise.all(
      [undefined, ...breakable].map(async (broken) => {
        const gateway = await startWrongGateway(broken)
        const flags = ['--topic-limit', String(topicLimit), '--timeout', '3000']
        outcomes.set(broken, await conform(gateway.url, ...flags))
        await gateway.close()
      }),
    )
  })

  it('keeps each rule', () => {
    expect(outcomes.get(undefined)).toMatchObject({ code: 0, broken: [], untested: ['gateway-down'] })
  })

  it.each(breakable)('that breaks %s fails for this rule alone', (broken) => {
    expect(outcomes.get(broken)).toMatchObject({ code: 1, failed: [broken] })
  })
})

test('the protocol page lists each rule with its sentence', () => {
  const rows = [...readPage('docs/reference/protocol.md').matchAll(/^\| `([a-z-]+)` \| (.*\.) \|$/gm)].map(
    ([, id = '', sentence = '']) => [id, sentence.replaceAll('`', '')],
  )
  expect(rows).toEqual(Object.entries(rules))
})
