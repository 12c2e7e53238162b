import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { startSimulator } from '../../src/simulator/index.js'
import { eventually } from '../support/time/eventually.js'
import type { EnvironmentVariables } from '../support/process/environment.js'
import { compiledPath, spawnNode, type NodeProcess } from '../support/process/node-process.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

interface RunningExample extends NodeProcess, Disposable {}

/** Runs an example as a user does. The caller disposes of it: tests of this file run concurrently. */
const run = (
  example: string,
  environment: EnvironmentVariables = {},
  args: readonly string[] = [],
): RunningExample => {
  const child = spawnNode([compiledPath(`examples/${example}`), ...args], {
    environment,
    onFinished: () => undefined,
  })
  return Object.assign(child, { [Symbol.dispose]: () => void child.process.kill('SIGKILL') })
}

describe('the list of examples', () => {
  it('has a line for each example', () => {
    const list = readFileSync(`${root}/examples/README.md`, 'utf8')
    const examples = readdirSync(`${root}/examples`).filter((name) => name.endsWith('.ts'))
    expect(examples.filter((name) => !list.includes(`| [${name}](${name})`))).toEqual([])
  })
})

describe('prices', () => {
  it('is equal to the first block of the README', () => {
    const example = readFileSync(`${root}/examples/prices.ts`, 'utf8')
    const [, firstBlock] = /```ts\n([^]*?)```/.exec(readFileSync(`${root}/README.md`, 'utf8')) ?? []
    expect(firstBlock).toBe(example)
  })

  it('prints three prices', async () => {
    using example = run('prices.ts')
    expect(await example.waitForExit()).toBe(0)
    expect(example.output).toMatch(/^(\d{4}\.\d+\n){3}$/)
  })
})

describe('first-price', () => {
  it('prints prices and depth', async () => {
    using example = run('first-price.ts')
    await eventually(() => {
      expect(example.output).toMatch(/^\d{4}\.\d+$/m)
      expect(example.output).toMatch(/totalQuantity: \d+n,/)
    })
  })
})

describe('metrics', () => {
  it('counts connections, failures and polls', async () => {
    using example = run('metrics.ts')
    expect(await example.waitForExit()).toBe(0)
    const output = example.output
    expect(output).toMatch(/^svc_connections{host="127.0.0.1:\d+"} 1$/m)
    expect(output).toMatch(/^svc_lost{host="127.0.0.1:\d+",code="1006"} 1$/m)
    expect(output).toMatch(/kind="SubscriptionRejected"} 1$/m)
    expect(output).toMatch(/^svc_confirm_ms_count 2$/m)
    expect(output).toMatch(/^svc_polls{host="127.0.0.1:\d+",result="ok"} \d+$/m)
  })
})

// Each takes some seconds, most of them without using the CPU.
describe.concurrent('a short example', () => {
  it('warm-start: trades from one of the first live candles on with a history', async () => {
    using example = run('warm-start.ts')
    expect(await example.waitForExit()).toBe(0)
    expect(example.output).toMatch(
      /^with a history +trades from live candle \d on\nwithout a history +trades from live candle 26 on\n$/,
    )
  })

  it('momentum: suspends the strategy while the connection is down, and starts it again', async () => {
    using example = run('momentum.ts')
    expect(await example.waitForExit()).toBe(0)
    const sequence = /^warming up  ETH .*^(buy|sell) +ETH .*^suspended   Disconnected: .*^warming up  ETH /ms
    expect(example.output).toMatch(sequence)
  })

  it('three-ways: runs one strategy in a marble test, over a recording and live', async () => {
    using example = run('three-ways.ts')
    expect(await example.waitForExit()).toBe(0)
    expect(example.output).toMatch(
      /^under marbles {5}as expected\nover a recording {3}12 trades +1\.76 USD\nlive +\d+ trades +\S+ USD/,
    )
  })

  it('spread: names a rejected or stale leg, and prints the spread otherwise', async () => {
    using example = run('spread.ts')
    expect(await example.waitForExit()).toBe(0)
    const spread = '^ +-?[\\d.,]+ USD  BTC +[\\d.,]+ - 23 x ETH +[\\d.,]+$'
    const rejected = '^no spread +leg btc: SubscriptionRejected: '
    const stale = '^no spread +leg eth: Stale: '
    expect(example.output).toMatch(new RegExp([rejected, spread, stale, spread].join('.*'), 'ms'))
  })

  it('alert: prints the start and the recovery of each failure', async () => {
    using example = run('alert.ts')
    expect(await example.waitForExit()).toBe(0)
    const output = example.output
    const time = '\\d\\d:\\d\\d:\\d\\d\\.\\d'
    const alert = (subject: string, problem: string) =>
      `^${time}  ALERT  ${subject} +since ${time}: ${problem}`
    const clear = (subject: string) => `^${time}  CLEAR  ${subject} +recovered after \\d+\\.\\d s$`
    expect(output).toMatch(new RegExp(`${alert('ETH', 'Stale: ')}.*${clear('ETH')}`, 'ms'))
    expect(output).toMatch(new RegExp(`${alert('connection', 'down, ')}.*${clear('connection')}`, 'ms'))
    expect(output).toMatch(/ {2}note {3}service .*out of coffee$/m)
  })

  it('price-with-depth: names a missing leg, and then prints both values', async () => {
    using example = run('price-with-depth.ts')
    expect(await example.waitForExit()).toBe(0)
    expect(example.output).toMatch(/^NotFresh: leg (price|depth): no value yet$/m)
    const both = /^ETH 2,6\d\d\.\d\d USD {3}can be bought +[\d,]+ USD {3}can be sold +[\d,]+ USD$/gm
    expect(example.output.match(both)?.length).toBeGreaterThan(5)
  })

  it('candles: prints one line per candle into a pipe, and the interruptions after a drop', async () => {
    using example = run('candles.ts')
    expect(await example.waitForExit()).toBe(0)
    const [amount, time] = ['\\d,\\d{3}\\.\\d\\d', '\\d\\d:\\d\\d:\\d\\d\\.\\d{3}']
    const marks = `open ${amount}  high ${amount}  low ${amount}  close ${amount} USD`
    const candle = new RegExp(
      `^${time}  ${marks}  (█ falls|░ rises) +\\d+ prices(, \\d+ interruptions)?(, lost before its end)?$`,
    )
    const lines = example.output.trimEnd().split('\n')
    expect(lines).toHaveLength(30)
    const errors = lines.filter((line) => !candle.test(line))
    expect(errors.filter((line) => !line.startsWith('Disconnected: connection down ('))).toEqual([])
    expect(lines.slice(0, 10).join('\n')).not.toContain('interruptions')
    expect(errors).not.toEqual([])
    // Each Disconnected and the new epoch.
    const after = lines.slice(10).filter((line) => candle.test(line))
    const counted = after.map((line) => Number(/, (\d+) interruptions/.exec(line)?.[1] ?? 0))
    expect(counted.reduce((sum, count) => sum + count, 0)).toBe(errors.length + 1)
  })

  it.each([
    ['12.5 ETH', '50.9739 100.0 % 0.0000 3.3168 26.5 % 9.1832'],
    ['30000 USD', '50.9739 100.0 % 0.0000 3.3168 29.6 % 7.8668'],
    // More digits than a double has.
    [
      '123456789012345.00005 ETH',
      '50.9739 0.0 % 123,456,789,012,294.0262 3.3168 0.0 % 123,456,789,012,341.6833',
    ],
  ])('slippage: prints the filled and the remaining quantity of %s', async (order, expected) => {
    using example = run('slippage.ts', {}, order.split(' '))
    expect(await example.waitForExit()).toBe(0)
    const [title, , , first = ''] = example.output.split('\n')
    expect(title).toContain(order)
    expect(first.trim().replace(/ +/g, ' ')).toBe(`2,682.51 ${expected}`)
  })

  it('slippage: rejects an invalid size', async () => {
    using example = run('slippage.ts', {}, ['12,5'])
    expect(await example.waitForExit()).toBe(2)
    expect(example.output).toBe('Give a size in ETH or USD, such as 12.5, or 30000 USD.\n')
  })
})

describe.concurrent('with a deployment in the environment', () => {
  it.each(['momentum.ts', 'spread.ts', 'alert.ts', 'candles.ts'])('%s runs until Ctrl-C', async (name) => {
    await using service = await startSimulator()
    const { priceBaseUrl, priceWsUrl } = service
    using example = run(name, { SVC_PRICE_BASE_URL: priceBaseUrl, SVC_PRICE_WS_URL: priceWsUrl })
    await eventually(() => expect(service.frames).not.toEqual([]))
    example.process.kill('SIGINT')
    expect(await example.waitForExit()).toBe(0)
  })

  it('the project of init needs three variables: its WebSocket has a default', async () => {
    await using service = await startSimulator()
    using example = run('project/src/main.ts', {
      SVC_BASE_URL: service.baseUrl,
      SVC_PRICE_BASE_URL: service.priceBaseUrl,
      SVC_AUTH_KEY: service.authKey,
    })
    await eventually(() => expect(service.requests).not.toEqual([]))
    example.process.kill('SIGINT')
    expect(await example.waitForExit()).toBe(0)
    expect(example.output).toMatch(`prices of ${service.priceBaseUrl}`)
  })

  it.each(['price-with-depth.ts', 'slippage.ts'])('%s requests its depth', async (name) => {
    await using service = await startSimulator()
    using example = run(name, {
      SVC_BASE_URL: service.baseUrl,
      SVC_PRICE_BASE_URL: service.priceBaseUrl,
      SVC_PRICE_WS_URL: service.priceWsUrl,
      SVC_AUTH_KEY: service.authKey,
    })
    expect(await example.waitForExit()).toBe(0)
    expect(service.requests).not.toEqual([])
    expect(example.output).toMatch(/ 2,6\d\d\.\d\d /)
  })
})
