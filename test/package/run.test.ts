import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { userEnvironment, run } from './support/run.js'

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
          totalQuantity: expect.stringMatching(/^\d+n$/) as string,
          totalQuantityUsd: expect.any(Number) as number,
        },
        sell: {
          totalQuantity: expect.stringMatching(/^\d+n$/) as string,
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

describe('the command', () => {
  test('prints its help by npx svc-streams --help', async () => {
    const { code, stdout } = await run('npx', ['--no', 'svc-streams', '--', '--help'], { cwd: packed.user })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Usage: svc-streams/)
    expect(stdout).toContain('simulate')
  })

  test('serves prices by svc-streams simulate until SIGTERM', async () => {
    const command = join(packed.user, 'node_modules/.bin/svc-streams')
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
