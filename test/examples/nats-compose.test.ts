import { expect, it, onTestFinished } from 'vitest'
import { commandLine, startCommand } from '../cli/support/command.js'
import { environmentOf } from '../cli/support/environment-of.js'
import { readPage } from '../docs/support/block.js'
import { describeNats } from '../support/nats/describe-nats.js'
import { startNatsServer } from '../support/nats/nats-server.js'
import { startTestSimulator } from '../support/simulator.js'
import { eventually } from '../support/time/eventually.js'
import { weth } from '../support/tokens.js'

const compose = readPage('examples/deploy/compose.yml')

/** The arguments of `svc-streams` in the line that starts with this command, with other addresses. */
const argumentsOf = (name: string, natsUrl: string): readonly string[] => {
  const [, line = ''] = new RegExp(`command: (${name} .*)$`, 'm').exec(compose) ?? []
  return line
    .replace(/nats:\/\/\S+/, natsUrl)
    .replace('--port 8080', '--port 0')
    .replace('--metrics ', '--metrics --metrics-port 0 ')
    .split(' ')
}

describeNats('examples/deploy/compose.yml', () => {
  it('starts gateways and a dashboard that serves prices, also after a gateway is killed', async () => {
    const [, config = ''] = /content: \|\n([^]*)$/.exec(compose) ?? []
    const { url } = await startNatsServer({ onFinished: onTestFinished, config })
    const simulator = await startTestSimulator()
    const startGateway = () =>
      startCommand(commandLine(...argumentsOf('gateway', url)), environmentOf(simulator))
    const gateways = [startGateway(), startGateway()]
    const dashboard = startCommand(commandLine(...argumentsOf('dashboard', url)))
    await eventually(() => /http:\/\/127\.0\.0\.1:\d+\//.test(dashboard.stdout))
    const [page = ''] = /http:\/\/127\.0\.0\.1:\d+\//.exec(dashboard.stdout) ?? []
    expect((await fetch(page)).status).toBe(200)

    const watch = startCommand(commandLine('watch', weth, '--nats', url, '--json'))
    const countPrices = () => watch.stdout.match(/"price":/g)?.length ?? 0
    await eventually(() => countPrices() > 5)
    gateways[0]?.process.kill('SIGKILL')
    const before = countPrices()
    await eventually(() => countPrices() > before + 50)
  })
})
