import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it, vi } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

interface Running {
  readonly child: ChildProcess
  readonly output: () => string
}

const running: ChildProcess[] = []
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL')
})

/** Runs an example as a user would, without the environment's own addresses. */
const run = (example: string, environment: Record<string, string> = {}): Running => {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_'))
  const env = { ...Object.fromEntries(own), ...environment }
  const child = spawn(process.execPath, ['--import', 'tsx', `examples/${example}`], { cwd: root, env })
  running.push(child)
  let output = ''
  child.stdout.on('data', (chunk) => (output += String(chunk)))
  child.stderr.on('data', (chunk) => (output += String(chunk)))
  return { child, output: () => output }
}

const until = (condition: () => void): Promise<void> =>
  vi.waitFor(condition, { timeout: 25_000, interval: 20 })

describe('the first price', () => {
  it('is the twelve lines of the README', () => {
    const example = readFileSync(`${root}/examples/first-price.ts`, 'utf8')
    const [, firstBlock] = /```ts\n([^]*?)```/.exec(readFileSync(`${root}/README.md`, 'utf8')) ?? []
    expect(firstBlock).toBe(example)
  })

  it('prints prices and depth', async () => {
    const { output } = run('first-price.ts')
    await until(() => {
      expect(output()).toMatch(/^\d{4}\.\d+$/m)
      expect(output()).toMatch(/totalQuantity: \d+n,/)
    })
  })
})

describe('the metrics', () => {
  it('count connections, failures and polls from what the channels tell', async () => {
    const { child, output } = run('metrics.ts')
    await once(child, 'exit')
    expect(output()).toMatch(/^svc_connections{host="127.0.0.1:\d+"} 1$/m)
    expect(output()).toMatch(/^svc_lost{host="127.0.0.1:\d+",code="1006"} 1$/m)
    expect(output()).toMatch(/kind="SubscriptionRejected"} 1$/m)
    expect(output()).toMatch(/^svc_confirm_ms_count 2$/m)
    expect(output()).toMatch(/^svc_polls{host="127.0.0.1:\d+",result="ok"} \d+$/m)
  })
})

describe('the live view', () => {
  it('writes plain lines into a pipe, shows the rejected token, and ends cleanly on SIGINT', async () => {
    const { child, output } = run('price-and-depth.ts')
    await until(() => {
      expect(output()).toMatch(/^\d\d:\d\d:\d\d {2}connected, epoch 1$/m)
      for (const symbol of ['ETH', 'BTC', 'ARB', 'GMX', 'LINK']) {
        expect(output()).toMatch(new RegExp(`  ${symbol} +[\\d,.]+  can be bought \\$.+, can be sold \\$`))
      }
      expect(output()).toContain('PEPE: SubscriptionRejected: ')
    })
    child.kill('SIGINT')
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
    expect([code, signal]).toEqual([0, null])
  })

  it('says what is missing where a deployment is half described', async () => {
    const { child, output } = run('price-and-depth.ts', { SVC_BASE_URL: 'https://relayer.example:3000' })
    const [code] = (await once(child, 'exit')) as [number]
    expect(code).toBe(2)
    expect(output()).toMatchInlineSnapshot(`
      "A real deployment also needs these environment variables:
        SVC_PRICE_BASE_URL   the price reporter's address, such as https://prices.example:3000
        SVC_AUTH_KEY         the auth key, base64
        SVC_TOKENS           tokens to watch, such as ETH=0x82af…,BTC=0x2f2a…
      Set them, or unset every SVC_… variable to run against the simulator.
      "
    `)
  })
})
