import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, vi } from 'vitest'
import { startSimulator } from '../../src/simulator/index.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

// Many processes, on a machine that may be busy with other tests.
vi.setConfig({ testTimeout: 120_000 })

interface Running extends Disposable {
  readonly output: () => string
  readonly interrupt: () => void
  /** The exit code and the signal, when all that was written has been read. */
  readonly ended: Promise<unknown>
}

const well = [0, null]

/** Runs an example as a user would, without the environment's own addresses. */
const run = (
  example: string,
  environment: Record<string, string> = {},
  args: readonly string[] = [],
): Running => {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_'))
  const env = { ...Object.fromEntries(own), ...environment }
  const child = spawn(process.execPath, ['--import', 'tsx', `examples/${example}`, ...args], {
    cwd: root,
    env,
  })
  let output = ''
  child.stdout.on('data', (chunk) => (output += String(chunk)))
  child.stderr.on('data', (chunk) => (output += String(chunk)))
  return {
    output: () => output,
    interrupt: () => child.kill('SIGINT'),
    ended: once(child, 'close'),
    [Symbol.dispose]: () => child.kill('SIGKILL'),
  }
}

const until = (condition: () => void): Promise<void> =>
  vi.waitFor(condition, { timeout: 100_000, interval: 20 })

describe('the list of examples', () => {
  it('has a line for each', () => {
    const list = readFileSync(`${root}/examples/README.md`, 'utf8')
    const examples = readdirSync(`${root}/examples`).filter((name) => name.endsWith('.ts'))
    expect(examples.filter((name) => !list.includes(`| [${name}](${name})`))).toEqual([])
  })
})

describe('the first price', () => {
  it('is the twelve lines of the README', () => {
    const example = readFileSync(`${root}/examples/first-price.ts`, 'utf8')
    const [, firstBlock] = /```ts\n([^]*?)```/.exec(readFileSync(`${root}/README.md`, 'utf8')) ?? []
    expect(firstBlock).toBe(example)
  })

  it('prints prices and depth', async () => {
    using example = run('first-price.ts')
    await until(() => {
      expect(example.output()).toMatch(/^\d{4}\.\d+$/m)
      expect(example.output()).toMatch(/totalQuantity: \d+n,/)
    })
  })
})

describe('the metrics', () => {
  it('count connections, failures and polls from what the channels tell', async () => {
    using example = run('metrics.ts')
    expect(await example.ended).toEqual(well)
    const output = example.output()
    expect(output).toMatch(/^svc_connections{host="127.0.0.1:\d+"} 1$/m)
    expect(output).toMatch(/^svc_lost{host="127.0.0.1:\d+",code="1006"} 1$/m)
    expect(output).toMatch(/kind="SubscriptionRejected"} 1$/m)
    expect(output).toMatch(/^svc_confirm_ms_count 2$/m)
    expect(output).toMatch(/^svc_polls{host="127.0.0.1:\d+",result="ok"} \d+$/m)
  })
})

describe('the live view', () => {
  it('writes plain lines into a pipe, shows the rejected token, and ends cleanly on SIGINT', async () => {
    using example = run('price-and-depth.ts')
    await until(() => {
      expect(example.output()).toMatch(/^\d\d:\d\d:\d\d {2}connected, epoch 1$/m)
      for (const symbol of ['ETH', 'BTC', 'ARB', 'GMX', 'LINK']) {
        expect(example.output()).toMatch(
          new RegExp(`  ${symbol} +[\\d,.]+  can be bought \\$.+, can be sold \\$`),
        )
      }
      expect(example.output()).toContain('PEPE: SubscriptionRejected: ')
    })
    example.interrupt()
    expect(await example.ended).toEqual(well)
  })

  it('says what is missing where a deployment is half described', async () => {
    using example = run('price-and-depth.ts', { SVC_BASE_URL: 'https://relayer.example:3000' })
    expect(await example.ended).toEqual([2, null])
    expect(example.output()).toMatchInlineSnapshot(`
      "A real deployment also needs these environment variables:
        SVC_PRICE_BASE_URL   the price reporter's address, such as https://prices.example:3000
        SVC_AUTH_KEY         the auth key, base64
        SVC_TOKENS           tokens to watch, such as ETH=0x82af…,BTC=0x2f2a…
      Set them, or unset every SVC_… variable to run against the simulator.
      "
    `)
  })
})

// Each takes some seconds, which it mostly spends waiting for the market.
describe.concurrent('the short examples', () => {
  it('momentum: the strategy is suspended while the connection is down, and begins anew', async () => {
    using example = run('momentum.ts')
    expect(await example.ended).toEqual(well)
    const story = /^warming up  ETH .*^(buy|sell) +ETH .*^suspended   Disconnected: .*^warming up  ETH /ms
    expect(example.output()).toMatch(story)
  })

  it('three ways: marbles, a recording and a live client run the same strategy', async () => {
    using example = run('three-ways.ts')
    expect(await example.ended).toEqual(well)
    expect(example.output()).toMatch(
      /^under marbles {5}as expected\nover a recording {3}12 trades +1\.76 USD\nlive +\d+ trades +\S+ USD/,
    )
  })

  it('spread: the leg that is refused, or silent, is named, and there is a spread otherwise', async () => {
    using example = run('spread.ts')
    expect(await example.ended).toEqual(well)
    const spread = '^ +-?[\\d.,]+ USD  BTC +[\\d.,]+ - 23 x ETH +[\\d.,]+$'
    const refused = '^no spread +leg btc: SubscriptionRejected: '
    const silent = '^no spread +leg eth: Stale: '
    expect(example.output()).toMatch(new RegExp([refused, spread, silent, spread].join('.*'), 'ms'))
  })

  it('alert: tells of each trouble since when it is, and when it is over', async () => {
    using example = run('alert.ts')
    expect(await example.ended).toEqual(well)
    const output = example.output()
    const time = '\\d\\d:\\d\\d:\\d\\d\\.\\d'
    const began = (about: string, what: string) => `^${time}  ALERT  ${about} +since ${time}: ${what}`
    const over = (about: string) => `^${time}  over   ${about} +well again after \\d+\\.\\d s$`
    expect(output).toMatch(new RegExp(`${began('ETH', 'Stale: ')}.*${over('ETH')}`, 'ms'))
    expect(output).toMatch(new RegExp(`${began('connection', 'down, ')}.*${over('connection')}`, 'ms'))
    expect(output).toMatch(/ {2}odd {4}service .*out of coffee$/m)
  })

  it('price-with-depth: a missing leg is named, then both are there', async () => {
    using example = run('price-with-depth.ts')
    expect(await example.ended).toEqual(well)
    expect(example.output()).toMatch(/^NotFresh: leg (price|depth): no value yet$/m)
    const both = /^ETH 2,6\d\d\.\d\d USD {3}can be bought +[\d,]+ USD {3}can be sold +[\d,]+ USD$/gm
    expect(example.output().match(both)?.length).toBeGreaterThan(5)
  })

  it('candles: a line each, into a pipe', async () => {
    using example = run('candles.ts')
    expect(await example.ended).toEqual(well)
    const [amount, time] = ['\\d,\\d{3}\\.\\d\\d', '\\d\\d:\\d\\d:\\d\\d\\.\\d{3}']
    const marks = `open ${amount}  high ${amount}  low ${amount}  close ${amount} USD`
    const candle = new RegExp(`^${time}  ${marks}  (█ falls|░ rises) +\\d+ prices$`)
    const lines = example.output().trimEnd().split('\n')
    expect(lines).toHaveLength(30)
    expect(lines.filter((line) => !candle.test(line))).toEqual([])
  })

  it.each([
    ['12.5 ETH', '50.9739 100.0 % 0.0000 3.3168 26.5 % 9.1832'],
    ['30000 USD', '50.9739 100.0 % 0.0000 3.3168 29.6 % 7.8668'],
    // More digits than a number has.
    [
      '123456789012345.00005 ETH',
      '50.9739 0.0 % 123,456,789,012,294.0262 3.3168 0.0 % 123,456,789,012,341.6833',
    ],
  ])('slippage: what of %s is filled, and what is left over', async (order, expected) => {
    using example = run('slippage.ts', {}, order.split(' '))
    expect(await example.ended).toEqual(well)
    const [title, , , first = ''] = example.output().split('\n')
    expect(title).toContain(order)
    expect(first.trim().replace(/ +/g, ' ')).toBe(`2,682.51 ${expected}`)
  })

  it('slippage: what is no size is refused', async () => {
    using example = run('slippage.ts', {}, ['12,5'])
    expect(await example.ended).toEqual([2, null])
    expect(example.output()).toBe('Give a size in ETH or USD, such as 12.5, or 30000 USD.\n')
  })
})

describe.concurrent('against the deployment that the environment names', () => {
  it.each(['momentum.ts', 'spread.ts', 'alert.ts', 'candles.ts'])('%s runs until Ctrl-C', async (name) => {
    await using service = await startSimulator()
    const { priceBaseUrl, priceWsUrl } = service
    using example = run(name, { SVC_PRICE_BASE_URL: priceBaseUrl, SVC_PRICE_WS_URL: priceWsUrl })
    await until(() => expect(service.frames).not.toEqual([]))
    example.interrupt()
    expect(await example.ended).toEqual(well)
  })

  it.each(['price-with-depth.ts', 'slippage.ts'])('%s asks for its depth', async (name) => {
    await using service = await startSimulator()
    using example = run(name, {
      SVC_BASE_URL: service.baseUrl,
      SVC_PRICE_BASE_URL: service.priceBaseUrl,
      SVC_PRICE_WS_URL: service.priceWsUrl,
      SVC_AUTH_KEY: service.authKey,
    })
    expect(await example.ended).toEqual(well)
    expect(service.requests).not.toEqual([])
    expect(example.output()).toMatch(/ 2,6\d\d\.\d\d /)
  })
})
