import { expect, onTestFinished, test } from 'vitest'
import { describeNats } from '../../support/nats/describe-nats.js'
import { startNatsServer } from '../../support/nats/nats-server.js'
import { findUnusedPort } from '../../support/network/servers.js'
import { eventually } from '../../support/time/eventually.js'
import { weth } from '../../support/tokens.js'
import { commandLine, runCommand, startCommand } from '../support/command.js'

/** A NATS server, and a gateway of a simulator on it. Returns the line that selects it in another terminal. */
const startGatewayCommand = async () => {
  const server = await startNatsServer({ onFinished: onTestFinished })
  const gateway = startCommand(commandLine('gateway', '--simulate', '--nats', server.url))
  await eventually(() => gateway.stdout.includes('Press Ctrl-C'))
  return { server, gateway, nats: /^export SVC_NATS=(\S+)$/m.exec(gateway.stdout)?.[1] ?? '' }
}

describeNats('--nats', () => {
  test('serves a simulator, to watch, price, depth and doctor, until Ctrl-C', async () => {
    const { server, gateway, nats } = await startGatewayCommand()
    expect(nats).toBe(server.url)
    const watch = startCommand(commandLine('watch', weth, '--nats', nats))
    const variables = { SVC_NATS: nats, SVC_PRICE_BASE_URL: 'https://prices.invalid' }
    await eventually(() => watch.stdout.includes(' ETH price ') && watch.stdout.includes(' ETH depth '))
    expect(await runCommand(['price', weth], variables)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d{4}\n$/) as string,
      stderr: '',
    })
    expect(await runCommand(['depth', weth], variables)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('ETH at ') as string,
    })
    const { code, stdout } = await runCommand(['doctor', '--nats', nats])
    const lines = stdout
      .replace(/:\d+/g, ':PORT')
      .replace(/\d+ ms/g, 'N ms')
      .replace(/\d+\.\d{4}/g, 'P')
    expect([code, lines]).toMatchInlineSnapshot(`
      [
        0,
        "options          ok       prices nats://127.0.0.1:PORT and nats://127.0.0.1:PORT, depth nats://127.0.0.1:PORT, no key
      DNS              ok       127.0.0.1 is an address
      TLS              skipped  no address uses https: or wss:
      price over HTTP  ok       ETH P USD, N ms
      price WebSocket  ok       opens, ETH P USD, N ms
      depth over HTTP  ok       answers without a signature, N ms
      clock            skipped  over NATS, no clock is compared
      signature        skipped  the gateway signs
      ",
      ]
    `)
    for (const command of [watch, gateway]) {
      command.process.kill('SIGINT')
      expect([await command.waitForExit(), command.stderr]).toEqual([0, ''])
    }
  })

  test('names NATS if no gateway is there', async () => {
    const server = await startNatsServer({ onFinished: onTestFinished })
    const failed = await runCommand(['price', weth, '--nats', server.url])
    expect(failed).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'Check that NATS and a gateway on it run, and that --nats (SVC_NATS) is the address of NATS.\n',
      ) as string,
    })
  })

  test('shows no password', async () => {
    const url = `nats://user:secret-password@127.0.0.1:${await findUnusedPort()}`
    const gateway = startCommand(commandLine('gateway', '--simulate', '--nats', url))
    await eventually(() => gateway.stdout.includes('NATS is not reachable yet. The gateway keeps trying.'))
    const { stdout, stderr } = await runCommand(['watch', weth, '--duration', '3', '--nats', url])
    expect(stdout).toContain('NATS is not reachable')
    expect(gateway.stdout + stdout + stderr).not.toContain('secret-password')
    expect(stderr).toContain('Check --nats (SVC_NATS), or run svc-streams doctor.\n')
  })
})

test.each([
  [
    ['watch', weth, '--nats', 'http://127.0.0.1:4222'],
    'error: --nats (SVC_NATS): expected addresses like nats://',
  ],
  [
    ['gateway', '--simulate', '--nats', 'http://127.0.0.1:4222'],
    'error: --nats (SVC_NATS): expected addresses like nats://',
  ],
  [
    ['gateway', '--simulate', '--nats', 'nats://127.0.0.1:4222', '--port', '80'],
    'error: --port: cannot be combined with --nats; remove one of them',
  ],
  [
    ['watch', weth, '--nats', 'nats://a', '--gateway', 'http://b'],
    'error: --gateway: cannot be combined with --nats; remove one of them',
  ],
])('exits with 2: %j', async (args, message) => {
  const { code, stderr } = await runCommand(args)
  expect(code).toBe(2)
  expect(stderr).toContain(message)
})
