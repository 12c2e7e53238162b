import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { eventually } from '../support/time/eventually.js'
import { startTestSimulator } from '../support/simulator.js'
import { getDepth } from '../support/network/signed-request.js'
import { compiledPath, spawnNode } from '../support/process/node-process.js'
import { newFolder } from '../support/new-folder.js'
import { ethTopic } from '../support/tokens.js'
import { runInProcess, startInProcess } from './support/in-process.js'
import type { RunningCommand } from './support/running-command.js'

const command = (...args: readonly string[]) =>
  spawnNode([compiledPath('src/cli/main.ts'), ...args], { environment: { COLUMNS: '80' } })

const run = async (...args: readonly string[]) => {
  const child = command(...args)
  const code = await child.waitForExit()
  return { code, stdout: child.stdout, stderr: child.stderr }
}

const simulate = (...args: readonly string[]) => withVariables(startInProcess(['simulate', ...args]))

/** The running command, with the variables that it has printed. */
const withVariables = async (child: RunningCommand) => {
  await eventually(() => child.stdout.includes('Ctrl-C'))
  const lines = child.stdout.matchAll(/^export (\w+)=(\S*)$/gm)
  return { child, variables: new Map(Array.from(lines, ([, name = '', value = '']) => [name, value])) }
}

test('exits with 2 for invalid arguments, and with 0 for help', async () => {
  expect(await run('simulate', '--tick', '0')).toMatchObject({ code: 2, stdout: '' })
  expect(await run('simulate', '--help')).toMatchObject({ code: 0, stderr: '' })
})

test('exits with 1 and a message for a strategy whose module awaits a promise that never settles', async () => {
  const path = join(newFolder(), 'strategy.mjs')
  writeFileSync(path, 'await new Promise(() => undefined)')
  const { code, stderr } = await run('backtest', 'market.ndjson', path)
  expect([code, stderr]).toEqual([1, expect.stringContaining('never settles') as string])
})

test('exits with 1 for a port in use', async () => {
  const { priceWsUrl } = await startTestSimulator({})
  const { port } = new URL(priceWsUrl)
  expect(await run('simulate', '--ws-port', port)).toEqual({
    code: 1,
    stdout: '',
    stderr: `error: --ws-port: port ${port} is already in use; choose another one, or 0 for any free port\n`,
  })
})

test('prints variables that can be pasted and that a program can use', async () => {
  const { child, variables } = await withVariables(
    command('simulate', '--token', '0xAB', '0xcd', '--tick', '20', '--seed', '7'),
  )
  expect(child.stdout.replace(/:\d+/g, ':PORT').replace(/KEY=\S+/, 'KEY=…')).toMatchSnapshot()
  const baseUrl = variables.get('SVC_BASE_URL')!
  const authKey = variables.get('SVC_AUTH_KEY')!
  expect((await getDepth({ baseUrl, authKey }, '0xab')).status).toBe(200)
  const price = await fetch(`${variables.get('SVC_PRICE_BASE_URL')!}/price/svc-0xcd`)
  expect(Number(await price.text())).toBeGreaterThan(0)
  child.process.kill('SIGTERM')
  expect([await child.waitForExit(), child.stderr]).toEqual([0, ''])
})

test('prints the symbols that commands accept in the other terminal', async () => {
  const { child, variables } = await simulate()
  const price = await runInProcess(['price', 'ETH'], Object.fromEntries(variables))
  expect([price.code, price.stderr]).toEqual([0, ''])
  expect(Number(price.stdout)).toBeGreaterThan(0)
  child.process.kill('SIGINT')
  expect(await child.waitForExit()).toBe(0)
})

test('simulate --cors lets pages of any origin read the responses', async () => {
  const origin = { headers: { origin: 'https://app.example' } }
  for (const [flags, allowed] of [
    [[], null],
    [['--cors'], '*'],
  ] as const) {
    const { child, variables } = await simulate(...flags)
    const response = await fetch(`${variables.get('SVC_PRICE_BASE_URL')}/price/${ethTopic}`, origin)
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, allowed])
    child.process.kill('SIGINT')
    expect(await child.waitForExit()).toBe(0)
  }
})

test('uses the key of --auth-key', async () => {
  const { child, variables } = await simulate('--auth-key', 'AAECAwQFBgcICQoLDA0ODw')
  expect(variables.get('SVC_AUTH_KEY')).toBe('AAECAwQFBgcICQoLDA0ODw')
  child.process.kill('SIGINT')
  expect([await child.waitForExit(), child.stderr]).toEqual([0, ''])
})

test('exits with 0 when the reader of the help has closed the pipe', async () => {
  const child = command('--help')
  child.process.stdout?.destroy()
  expect([await child.waitForExit(), child.stderr]).toEqual([0, ''])
})

test('exits with 2 for invalid arguments although the message cannot be written', async () => {
  const child = command('price', 'no-token')
  child.process.stderr?.destroy()
  expect(await child.waitForExit()).toBe(2)
})
