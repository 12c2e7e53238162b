import { expect, test } from 'vitest'
import { eventually } from '../../support/time/eventually.js'
import { weth } from '../../support/tokens.js'
import { startGatewayInProcess } from '../support/gateway-in-process.js'
import { runInProcess, startInProcess } from '../support/in-process.js'

test.each([
  [['--simulate'], 'a simulator of the service'],
  [[], 'the gateway on NATS at 127.0.0.1:1'],
])('the variable does not make a gateway serve on NATS: %j', async (flags, source) => {
  const args = ['--port', '0', ...flags]
  const { url, command } = await startGatewayInProcess(args, { SVC_NATS: 'nats://127.0.0.1:1' })
  expect(url).toMatch(/^http:/)
  expect(command.stdout).toContain(`# A gateway to ${source} is running.`)
})

test.each([
  [['--nats', 'tls://user:secret@127.0.0.1:1'], ''],
  [['--nats'], 'tls://user:secret@127.0.0.1:1,tls://127.0.0.1:2'],
])('a gateway on NATS prints the scheme of its address: %j', async (flags, variable) => {
  const gateway = startInProcess(['gateway', '--simulate', ...flags], { SVC_NATS: variable })
  await eventually(() => gateway.stdout.includes('Ctrl-C'))
  expect(gateway.stdout).toContain('export SVC_NATS=tls://127.0.0.1:1\n')
  expect(gateway.stdout).toContain('watch --nats tls://127.0.0.1:1 ')
})

test.each([
  [['gateway', '--simulate', '--nats'], 'error: --nats (SVC_NATS): expected addresses like nats://'],
  [
    ['watch', weth, '--nats', 'http://127.0.0.1:4222'],
    'error: --nats (SVC_NATS): expected addresses like nats://',
  ],
  [
    ['gateway', '--simulate', '--nats', 'http://127.0.0.1:4222'],
    'error: --nats (SVC_NATS): expected addresses like nats://',
  ],
  [
    ['gateway', '--simulate', '--nats', 'nats://127.0.0.1:4222', '--open-depth'],
    'error: --open-depth: cannot be combined with --nats; remove one of them',
  ],
  [
    ['gateway', '--simulate', '--nats', 'nats://127.0.0.1:4222', '--history', 'prices'],
    'error: --history: cannot be combined with --nats; remove one of them',
  ],
  [
    ['gateway', '--simulate', '--nats', 'nats://127.0.0.1:4222', '--host', '0.0.0.0'],
    'error: --host: with --nats, give --port too, to serve the health of the gateway',
  ],
  [
    ['watch', weth, '--nats', 'nats://a', '--gateway', 'http://b'],
    'error: --gateway: cannot be combined with --nats; remove one of them',
  ],
])('exits with 2: %j', async (args, message) => {
  const { code, stderr } = await runInProcess(args)
  expect(code).toBe(2)
  expect(stderr).toContain(message)
})
