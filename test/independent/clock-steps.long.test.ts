import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from 'svc-streams'
import { expect, test } from 'vitest'
import { commandLine, startCommand, type CliProcess } from '../cli/support/command.js'
import { environmentOf } from '../cli/support/environment-of.js'
import { startGatewayCommand } from '../cli/support/gateway-command.js'
import { runInProcess } from '../cli/support/in-process.js'
import { closeAfterTest } from '../support/close-after-test.js'
import { collectEvents } from '../support/collect-events.js'
import { newFolder } from '../support/new-folder.js'
import { pathOf } from '../support/process/program.js'
import { startTestSimulator } from '../support/simulator.js'
import { eventually } from '../support/time/eventually.js'
import { ethTopic, weth } from '../support/tokens.js'

// libfaketime: the system clock of a process steps; its monotonic clock does not.

const steps = ['+0', '+3600', '-3600', '+86400', '-5', '+0']

/** The variables of a process whose clock `set` steps, by seconds such as `+3600`. */
const steppedClock = () => {
  pathOf('faketime')
  const file = join(newFolder(), 'clock')
  const set = (seconds: string): void => writeFileSync(file, `${seconds}\n`)
  set('+0')
  const variables = {
    LD_PRELOAD: '/usr/$LIB/faketime/libfaketimeMT.so.1',
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  }
  return { set, variables }
}

/** Without the library of libfaketime, a test would test nothing. */
const expectStepped = ({ process: { pid } }: CliProcess): void =>
  expect(readFileSync(`/proc/${pid}/maps`, 'utf8')).toContain('libfaketime')

test('a gateway whose clock steps delivers current prices, without a Left', async () => {
  const { set, variables } = steppedClock()
  const simulator = await startTestSimulator({ tick: 20 })
  const { url, command } = await startGatewayCommand(['--port', '0'], {
    ...environmentOf(simulator),
    ...variables,
  })
  expectStepped(command)
  const consumer = closeAfterTest(
    createClient({ environment: 'testnet', priceBaseUrl: url, priceWsUrl: url.replace('http', 'ws') }),
  )
  const { tags, values } = collectEvents(consumer.price$(ethTopic))
  for (const step of steps) {
    set(step)
    const { length } = values()
    await eventually(() => values().length > length + 10)
    const { receivedAt = 0 } = values().at(-1) ?? {}
    expect(Math.abs(Date.now() - receivedAt)).toBeLessThan(5_000)
  }
  expect(new Set(tags())).toEqual(new Set(['Right']))
})

test('a recorder whose clock steps writes each price once, in an order that a replay accepts', async () => {
  const { set, variables } = steppedClock()
  const simulator = await startTestSimulator({ tick: 20 })
  const out = join(newFolder(), 'market.ndjson')
  const recorder = startCommand(commandLine('record', weth, '--no-depth', '--out', out), {
    ...environmentOf(simulator),
    ...variables,
  })
  const rows = (): readonly string[] =>
    readFileSync(out, 'utf8')
      .split('\n')
      .filter((line) => line.includes('"Price"'))
  await eventually(() => rows().length > 5)
  expectStepped(recorder)
  for (const step of steps) {
    set(step)
    const { length } = rows()
    await eventually(() => rows().length > length + 10)
  }
  recorder.process.kill('SIGINT')
  expect([await recorder.waitForExit(), recorder.stderr]).toEqual([0, expect.not.stringContaining('error')])
  const written = rows().length
  const { code, stdout } = await runInProcess(['replay', out, '--json', '--speed', 'max'])
  expect(code).toBe(0)
  // The recording has the steps of the clock; a replay goes on at the earlier rows.
  const times = rows().map((line) => (JSON.parse(line) as { readonly at: number }).at)
  expect(Math.max(...times) - Math.min(...times)).toBeGreaterThan(3_600_000)
  const replayed = stdout.split('\n').filter((line) => line.includes('"price"'))
  expect(replayed).toHaveLength(written)
})
