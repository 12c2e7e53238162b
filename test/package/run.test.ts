import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { installedCommand, run, userEnvironment } from './support/run.js'

const packed = inject('packed')

describe('a program with a client and a simulator runs and exits', () => {
  test.each(['live.mjs', 'live.cjs'])('%s', async (program) => {
    const { code, stdout, stderr } = await run('node', [`programs/${program}`], {
      cwd: packed.user,
      timeout: 30_000,
    })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toEqual({
      price: {
        topic: 'svc-0xAb',
        price: expect.any(Number) as number,
        receivedAt: expect.any(Number) as number,
        epoch: 1,
      },
      depth: {
        mint: '0xAb',
        price: expect.any(Number) as number,
        timestamp: expect.any(Number) as number,
        receivedAt: expect.any(Number) as number,
        buy: {
          totalQuantity: expect.stringMatching(/^\d+$/) as string,
          totalQuantityUsd: expect.any(Number) as number,
        },
        sell: {
          totalQuantity: expect.stringMatching(/^\d+$/) as string,
          totalQuantityUsd: expect.any(Number) as number,
        },
      },
      error: 'SubscriptionRejected',
      recorded: expect.any(Number) as number,
    })
  })
})

test('a marble test that uses svc-streams/testing passes', async () => {
  const { code, stdout, stderr } = await run('node', ['programs/marbles.mjs'], {
    cwd: packed.user,
    timeout: 30_000,
  })
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'passed\n', stderr: '' })
})

test('a program sends headers to a gateway, signed and unsigned, and writes depths as JSON', async () => {
  const { code, stdout, stderr } = await run('node', ['programs/gateway.mjs'], {
    cwd: packed.user,
    timeout: 30_000,
  })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const side = { totalQuantity: '18446744073709551616', totalQuantityUsd: 0.5 }
  expect(JSON.parse(stdout)).toEqual({
    'the signature covers the header': true,
    signed: ['x-api-key', 'x-svc-auth', 'x-svc-auth-expiration', 'x-svc-tenant'],
    unsigned: ['x-api-key', 'x-svc-tenant'],
    depth: side,
    decoded: side,
  })
})

test('a program sweeps a recording in worker threads, with an ES module and with CommonJS', async () => {
  const { code, stdout, stderr } = await run('node', ['programs/sweep.mjs'], {
    cwd: packed.user,
    timeout: 30_000,
  })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const results = [
    // A status precedes the prices.
    [[1], { rows: 2 }],
    [[1, 2], { rows: 3 }],
    ['strategy', 'the strategy failed: expected a number, got unknown'],
  ]
  expect(JSON.parse(stdout)).toEqual({ same: true, esm: results, cjs: results })
})

test('a program records to files, replays them as one, again, and in part, and names a missing one', async () => {
  const { code, stdout, stderr } = await run('node', ['programs/recordings.mjs'], {
    cwd: packed.user,
    timeout: 30_000,
  })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(JSON.parse(stdout)).toEqual({
    runs: [[2], [2]],
    // A status, a price and an end of each file.
    rows: 6,
    // The strategy ends with the first price.
    early: 2,
    part: [],
    missing: '/missing.ndjson does not exist (ENOENT)',
  })
})

test('a program with a second installation of RxJS gets a ConfigurationError', async () => {
  const { code, stdout, stderr } = await run('node', ['programs/two-rxjs.mjs'], {
    cwd: packed.user,
    timeout: 30_000,
  })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const problem = 'uses another copy of RxJS than svc-streams'
  expect(JSON.parse(stdout)).toEqual({
    testClient: [true, `prices.svc-0xab: ${problem}`],
    returned: [true, `run$: ${problem}`],
    operator: [true, `run$: ${problem}`],
    own: 'completes',
  })
})

describe('the command', () => {
  const command = installedCommand(packed.user, 'svc-streams')

  test('prints its help by npx svc-streams --help', async () => {
    const { code, stdout } = await run('npx', ['--no', 'svc-streams', '--', '--help'], { cwd: packed.user })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Usage: svc-streams/)
    expect(stdout).toContain('simulate')
  })

  test('draws the demonstration on a terminal by svc-streams watch --demo', async () => {
    const line = `stty cols 80 rows 24; ${command} watch --demo --duration 3`
    const { code, stdout } = await run('script', ['-qec', line, '/dev/null'], {
      cwd: packed.user,
      timeout: 30_000,
    })
    expect(code).toBe(0)
    expect(stdout).toContain('A simulator plays a recorded market.')
    expect(stdout).toMatch(/Next: it drops its connection in \d+ s\.[^]*TOKEN[^]*Press Ctrl-C to stop\./)
    expect(stdout).toMatch(/PEPE[^]*live/)
  })

  test('passes each check by svc-streams doctor --simulate', async () => {
    const { code, stdout } = await run(command, ['doctor', '--simulate'], {
      cwd: packed.user,
      timeout: 30_000,
    })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^price over HTTP +ok [^]*^signature +ok /m)
  })

  test('completes commands in bash by svc-streams completion bash', async () => {
    const program = `PATH="$PWD/node_modules/.bin:$PATH"
      eval "$(svc-streams completion bash)"; COMP_WORDS=(svc-streams wa); COMP_CWORD=1; _svc_streams
      echo "$COMPREPLY"`
    const { code, stdout } = await run('bash', ['-c', program], { cwd: packed.user })
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'watch\n' })
  })

  test('exits with 1 by svc-streams watch --duration when the service does not answer', async () => {
    const flags = ['--price-base-url', 'http://127.0.0.1:1', '--price-ws-url', 'ws://127.0.0.1:1']
    const { code, stderr } = await run(command, ['watch', '0xab', '--duration', '1', ...flags], {
      cwd: packed.user,
      timeout: 30_000,
    })
    expect([code, stderr]).toEqual([1, expect.stringContaining('no price arrived from 127.0.0.1:1 in 1 s')])
  })

  test('writes a recording of CSV and of Parquet by svc-streams import, which inspect reads', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-streams-test-'))
    const [csv, recording, parquet, again] = ['a.csv', 'a.ndjson', 'a.parquet', 'b.ndjson'].map((name) =>
      join(folder, name),
    ) as [string, string, string, string]
    await writeFile(csv, 'time,price\n1763000040,2680.5\n1763000041,2680.75\n')
    const svc = (...args: string[]) => run(command, args, { cwd: packed.user })
    try {
      expect(await svc('import', csv, '--token', '0xab', '--out', recording)).toMatchObject({ code: 0 })
      expect(await svc('export', recording, '--out', parquet)).toMatchObject({ code: 0 })
      const prices = parquet.replace('parquet', 'prices.parquet')
      expect(await svc('import', prices, '--out', again)).toMatchObject({ code: 0 })
      expect(await readFile(again, 'utf8')).toBe(await readFile(recording, 'utf8'))
      expect((await svc('inspect', again)).stdout).toMatch(/svc-0xab +2 /)
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  test('serves prices by svc-streams simulate until SIGTERM', async () => {
    const child = spawn(command, ['simulate'], { cwd: packed.user, env: userEnvironment() })
    let stdout = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
    await expect.poll(() => stdout, { timeout: 10_000 }).toContain('SVC_PRICE_WS_URL')
    const address = /SVC_PRICE_BASE_URL='?(http:\/\/[\w.:[\]]+)/.exec(stdout)?.[1]
    const topic = 'svc-0x82af49447d8a07e3bd95bd0d56f35241523fbab1'
    const response = await fetch(`${String(address)}/price/${topic}`)
    expect(Number(await response.text())).toBeGreaterThan(0)
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  })
})
