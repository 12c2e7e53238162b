import { expect, onTestFinished, test } from 'vitest'
import { describeNats } from '../../support/nats/describe-nats.js'
import { startNatsServer } from '../../support/nats/nats-server.js'
import { findUnusedPort } from '../../support/network/servers.js'
import { eventually } from '../../support/time/eventually.js'
import { startTestSimulator } from '../../support/simulator.js'
import { weth } from '../../support/tokens.js'
import { commandLine, startCommand } from '../support/command.js'
import { environmentOf } from '../support/environment-of.js'
import { runInProcess, startInProcess } from '../support/in-process.js'

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
    const watch = startInProcess(['watch', weth, '--nats', nats])
    const variables = { SVC_NATS: nats, SVC_PRICE_BASE_URL: 'https://prices.invalid' }
    await eventually(() => watch.stdout.includes(' ETH price ') && watch.stdout.includes(' ETH depth '))
    expect(await runInProcess(['price', weth], variables)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d{4}\n$/) as string,
      stderr: '',
    })
    expect(await runInProcess(['depth', weth], variables)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('ETH at ') as string,
    })
    const { code, stdout } = await runInProcess(['doctor', '--nats', nats])
    const lines = stdout
      .replace(/:\d+/g, ':PORT')
      .replace(/\d+ ms/g, 'N ms')
      .replace(/\d+\.\d{4}/g, 'P')
    expect([code, lines]).toMatchInlineSnapshot(`
      [
        0,
        "price over HTTP  ok       ETH P USD, N ms
      first event      ok       ETH P USD, N ms
      depth            ok       depth of ETH, N ms
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

  test('reports by log, health and metrics that NATS refuses the messages of the gateway', async () => {
    const permissions = '{ publish: "_INBOX.>", subscribe: ">" }'
    const config = `authorization { users: [{ user: desk, password: secret, permissions: ${permissions} }] }`
    const server = await startNatsServer({ onFinished: onTestFinished, config })
    const port = String(await findUnusedPort())
    const gateway = startInProcess([
      ...['gateway', '--simulate', '--nats', server.url.replace('//', '//desk:secret@')],
      ...['--port', port, '--metrics-port', '0', '--log-format', 'json'],
    ])
    await eventually(() => gateway.stderr.includes('\n'))
    expect(JSON.parse(gateway.stderr)).toMatchObject({
      level: 'warn',
      message: expect.stringContaining(
        'NATS refuses messages of the gateway: Permissions Violation',
      ) as string,
    })
    expect(gateway.output).not.toContain('secret')
    const health = await fetch(`http://127.0.0.1:${port}/health`)
    expect([health.status, await health.json()]).toMatchObject([
      503,
      { status: 'down', reason: 'no-permission' },
    ])
    expect(await (await fetch(`http://127.0.0.1:${port}/health/ready`)).json()).toEqual({
      status: 'not ready',
      reason: 'no-permission',
    })
    const address = /at (\S+)\/metrics\./.exec(gateway.stdout)?.[1] ?? ''
    const metrics = await (await fetch(`${address}/metrics`)).text()
    expect(metrics).toMatch(/^svc_streams_gateway_up\S* 0$/m)
    expect(metrics).toMatch(/^svc_streams_gateway_nats_failures_total\S* 1$/m)
    gateway.process.kill('SIGINT')
    expect(await gateway.waitForExit()).toBe(0)
  })

  test('serves the health of a gateway over HTTP, with --port', async () => {
    const server = await startNatsServer({ onFinished: onTestFinished })
    const service = await startTestSimulator()
    const port = String(await findUnusedPort())
    const gateway = startInProcess(['gateway', '--nats', server.url, '--port', port], environmentOf(service))
    const healthUrl = `http://127.0.0.1:${port}/health`
    await eventually(() => gateway.stdout.includes(`# Its own state is at ${healthUrl}.\n`))
    const health = async () => {
      const [own, live, ready] = await Promise.all(
        ['', '/live', '/ready'].map((path) => fetch(healthUrl + path).then(async (answer) => answer.text())),
      )
      return [own, live, ready]
    }
    const watch = startInProcess(['watch', weth, '--nats', server.url])
    await eventually(async () =>
      expect(await health()).toEqual([
        '{"status":"up","upstream":"Open","ageBounded":true,"sessions":1,"topics":1}',
        '{"status":"up"}',
        '{"status":"ready"}',
      ]),
    )
    await service.close()
    await eventually(async () =>
      expect((await health())[2]).toBe('{"status":"not ready","reason":"service-down"}'),
    )
    expect((await fetch(healthUrl)).status).toBe(503)
    expect((await fetch(`${healthUrl}/live`)).status).toBe(200)
    expect((await fetch(`${healthUrl}/other`)).status).toBe(404)
    expect((await fetch(healthUrl, { method: 'POST' })).status).toBe(405)
    const second = await runInProcess(['gateway', '--simulate', '--nats', server.url, '--port', port])
    expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining('--port: port') as string })
    for (const command of [watch, gateway]) {
      command.process.kill('SIGINT')
      expect(await command.waitForExit()).toBe(0)
    }
  })

  test('is not ready while it is not connected to NATS', async () => {
    const gateway = startInProcess(['gateway', '--simulate', '--nats', 'nats://127.0.0.1:1', '--port', '0'])
    await eventually(() => gateway.stdout.includes('Press Ctrl-C'))
    const [, url = ''] = /at (http:\S+)\/health\./.exec(gateway.stdout) ?? []
    const response = await fetch(`${url}/health/ready`)
    expect([response.status, await response.text()]).toEqual([
      503,
      '{"status":"not ready","reason":"nats-lost"}',
    ])
  })

  test('names the flag of NATS if no gateway is there', async () => {
    const server = await startNatsServer({ onFinished: onTestFinished })
    const failed = await runInProcess(['price', weth, '--nats', server.url])
    expect(failed).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'Check that the gateway runs, and that --nats (SVC_NATS) is its address.\n',
      ) as string,
    })
  })

  test('shows no password', async () => {
    const url = `nats://user:secret-password@127.0.0.1:${await findUnusedPort()}`
    const gateway = startInProcess(['gateway', '--simulate', '--nats', url])
    await eventually(() => gateway.stdout.includes('NATS is not reachable yet. The gateway keeps trying.'))
    const { stdout, stderr } = await runInProcess(['watch', weth, '--duration', '6', '--nats', url])
    expect(stdout).toContain('NATS is not reachable')
    expect(gateway.stdout + stdout + stderr).not.toContain('secret-password')
    expect(stderr).toContain('Check --nats (SVC_NATS), or run npx svc-streams doctor.\n')
  })
})
