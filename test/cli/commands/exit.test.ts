import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { recordingText } from '../../backtest/recording/support/recordings.js'
import { manualMarket } from '../../support/manual-market.js'
import { findUnusedPort } from '../../support/network/servers.js'
import { startTestSimulator } from '../../support/simulator.js'
import { weth } from '../../support/tokens.js'
import { commandLine, runCommand, startCommand } from '../support/command.js'
import { environmentOf } from '../support/environment-of.js'
import { newFile } from '../support/new-file.js'
import { header, priced } from '../support/recording.js'

// Most tests run a command in their own process. Here, nothing that a command leaves behind may keep its process alive.

const simulatedService = async () => environmentOf(await startTestSimulator({ market: manualMarket() }))

test.each([
  ['price', ['price', weth]],
  ['depth', ['depth', weth]],
  ['doctor', ['doctor']],
  ['watch', ['watch', weth, '--duration', '5']],
])('the process of %s exits with 0 after it has used a service', async (_, args) => {
  expect(await runCommand(args, await simulatedService())).toMatchObject({ code: 0, stderr: '' })
})

test.each([
  ['price', ['price', weth]],
  ['depth', ['depth', weth]],
  ['doctor', ['doctor', '--timeout', '500']],
  ['watch', ['watch', weth, '--duration', '1']],
  ['record', ['record', weth, '--duration', '1']],
])('the process of %s exits with 1 after a service has refused its connections', async (_, args) => {
  const url = `127.0.0.1:${await findUnusedPort()}`
  const variables = environmentOf({
    baseUrl: `http://${url}`,
    priceBaseUrl: `http://${url}`,
    priceWsUrl: `ws://${url}`,
    authKey: 'AAECAwQFBgcICQoLDA0ODw',
  })
  expect(await runCommand(args, variables)).toMatchObject({ code: 1 })
})

test('the process of completion exits with 0', async () => {
  expect(await runCommand(['completion', 'bash'])).toMatchObject({ code: 0, stderr: '' })
})

test('the process of replay exits with 0 at the end of a recording, and with 1 at its damage', async () => {
  const text = recordingText(header, priced(10, 1.5))
  const file = newFile('market.ndjson', text)
  const damaged = newFile('damaged.ndjson', `${text}rubbish\n`)
  expect(await runCommand(['replay', file, '--speed', 'max'])).toMatchObject({ code: 0, stderr: '' })
  expect(await runCommand(['replay', damaged, '--speed', 'max'])).toMatchObject({ code: 1 })
})

test('the process of gateway exits with 1 after its port was in use', async () => {
  const { port } = new URL((await startTestSimulator({})).baseUrl)
  expect(await runCommand(['gateway', '--simulate', '--port', port])).toMatchObject({ code: 1 })
})

test.each([['--help'], ['inspect', 'market.ndjson'], ['replay', 'market.ndjson', '--speed', 'max']])(
  'the process of %s prints why its output cannot be written, and exits with 1',
  { skip: !existsSync('/dev/full') },
  async (...args) => {
    const file = newFile('market.ndjson', recordingText(header, priced(0, 1)))
    const command = commandLine(...args.map((arg) => (arg === 'market.ndjson' ? file : arg)))
    const child = startCommand(['sh', '-c', 'exec "$@" > /dev/full', 'sh', ...command])
    expect([await child.waitForExit(), child.stderr]).toEqual([
      1,
      'error: standard output cannot be written: ENOSPC: no space left on device, write\n',
    ])
  },
)
