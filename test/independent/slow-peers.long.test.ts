import { readdirSync, readlinkSync } from 'node:fs'
import { createClient, isLeft } from 'svc-streams'
import { expect, test } from 'vitest'
import { commandLine, startCommand, type CliProcess } from '../cli/support/command.js'
import { environmentOf } from '../cli/support/environment-of.js'
import { startGatewayCommand } from '../cli/support/gateway-command.js'
import { closeAfterTest } from '../support/close-after-test.js'
import { collectEvents } from '../support/collect-events.js'
import { spawnCommand } from '../support/process/node-process.js'
import { pathOf } from '../support/process/program.js'
import { caseCount } from '../support/run/long.js'
import { startTestSimulator } from '../support/simulator.js'
import { eventually } from '../support/time/eventually.js'
import { btcTopic, ethTopic, weth } from '../support/tokens.js'

// slowhttptest: many connections that send their headers or bodies, or read their responses, byte by byte.

/** The duration of an attack, in seconds. A port ends those of slow readers after 60 s, and 30 s more if they have read all. */
const seconds = caseCount(100)

/** By the flag of slowhttptest. */
const attacks = { '-H': 'slow headers', '-B': 'slow bodies', '-X': 'slow reads' } as const

/** Of each attack. */
const connections = 60

const socketsOf = ({ process: { pid } }: CliProcess): number =>
  readdirSync(`/proc/${pid}/fd`).filter((fd) => linkOf(`/proc/${pid}/fd/${fd}`).startsWith('socket:')).length

/** Empty for a descriptor that was closed meanwhile. */
const linkOf = (path: string): string => {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

const attack = (flag: string, url: string) =>
  spawnCommand([
    pathOf('slowhttptest'),
    ...[
      flag,
      '-u',
      url,
      '-c',
      String(connections),
      '-r',
      String(connections),
      '-l',
      String(seconds),
      '-p',
      '3',
    ],
    // Each second, some bytes are sent, or 5 of a window of at most 512 are read, of a response that is requested thrice.
    ...['-i', '1', '-x', '10', '-n', '1', '-k', '3'],
  ])

test('slow peers of each port do not disturb others, and are disconnected', async () => {
  const { command, url } = await startGatewayCommand(
    ['--port', '0', '--metrics-port', '0'],
    environmentOf(await startTestSimulator()),
  )
  const metrics = `${/at (\S+)\/metrics\./.exec(command.stdout)?.[1]}/metrics`
  const dashboard = startCommand(commandLine('dashboard', weth, '--gateway', url, '--port', '0'))
  await eventually(() => dashboard.stdout.includes('\n'))
  const page = `${dashboard.stdout.trim()}main.js`
  const consumer = () =>
    closeAfterTest(
      createClient({ environment: 'testnet', priceBaseUrl: url, priceWsUrl: url.replace('http', 'ws') }),
    )
  const { events, values } = collectEvents(consumer().price$(ethTopic))
  await eventually(() => values().length > 0)

  const targets = [`${url}/tokens`, page, metrics]
  const running = Object.keys(attacks).flatMap((flag) =>
    targets.map((target) => ({ name: `${flag} ${target}`, program: attack(flag, target) })),
  )
  let remaining = Infinity
  while (running.some(({ program }) => program.process.exitCode === null)) {
    const { length } = values()
    const client = consumer()
    const { values: later } = collectEvents(client.price$(btcTopic))
    await eventually(() => later().length > 0 && values().length > length + 5)
    await client.close()
    for (const target of targets) expect((await fetch(target)).status).toBe(200)
    const sockets = socketsOf(command) + socketsOf(dashboard)
    if (running.some(({ program }) => program.process.exitCode === null)) remaining = sockets
  }
  // In a short attack, the limits of the ports are not reached. What a slow reader has not read is then in its kernel.
  if (seconds >= 100) expect(remaining).toBeLessThan(connections)
  for (const { name, program } of running) {
    // Without the colours.
    const output = `${name}: ${program.output.replace(/\u001b\[[\d;]*m/g, '')}`
    expect(output).toMatch(/service available: +YES/)
    expect(output).not.toMatch(/service available: +NO/)
  }
  expect(events.filter(isLeft)).toEqual([])
  for (const target of targets) expect((await fetch(target)).status).toBe(200)
})
