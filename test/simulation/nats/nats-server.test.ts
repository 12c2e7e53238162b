import { createConnection } from 'node:net'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { describeNats } from '../../support/nats/describe-nats.js'
import { startNatsServer, type NatsServer as RealServer } from '../../support/nats/nats-server.js'
import { eventually } from '../../support/time/eventually.js'
import { NatsServer, usualSettings, type NatsSettings } from '../actors/nats-server.js'
import { Link } from '../world/network.js'
import { SimulatedProcess } from '../world/process.js'
import { SimulatedTcp } from '../world/tcp.js'
import { World } from '../world/world.js'
import { runScript, type Stage } from './run-script.js'
import { maxPayload, scripts, type Script } from './scripts.js'

const limits = { max_payload: maxPayload, max_pending: 1_048_576, write_deadline: 200 }

const users = [
  {
    user: 'gateway',
    pass: 'secret',
    publish: ['svc.>', '_INBOX.>'],
    subscribe: ['svc.>', '_INBOX.gateway.>'],
  },
  {
    ...{ user: 'alice', pass: 'secret', publish: ['svc.gateways', 'svc.gateway.*'] },
    subscribe: ['svc.price.>', '_INBOX.alice.>'],
  },
]

const pings = { ping_interval: 50, ping_max: 2 }

const settingsOf = ({ hasUsers }: Script): Partial<NatsSettings> =>
  hasUsers === true ? { ...limits, ...pings, users } : limits

const configOf = (script: Script): string => {
  const { max_payload, max_pending, write_deadline, ping_interval, ping_max } = {
    ...usualSettings,
    ...settingsOf(script),
  }
  const authorization = users.map(({ user, pass, publish, subscribe }) => ({
    ...{ user, password: pass, permissions: { publish, subscribe } },
  }))
  return [
    `max_payload: ${max_payload}\nmax_pending: ${max_pending}\nwrite_deadline: "${write_deadline}ms"`,
    `ping_interval: "${ping_interval}ms"\nping_max: ${ping_max}`,
    ...(script.hasUsers === true ? [`authorization { users: ${JSON.stringify(authorization)} }`] : []),
  ].join('\n')
}

const realStage = ({ port }: RealServer): Stage => ({
  connect: (_name, { onData, onClosed }) => {
    const socket = createConnection(port, '127.0.0.1').setNoDelay(true)
    onTestFinished(() => void socket.destroy())
    socket
      .on('data', onData)
      .on('error', () => undefined)
      .on('close', onClosed)
    return {
      send: (text) => void socket.write(text, 'latin1'),
      pause: () => void socket.pause(),
      resume: () => void socket.resume(),
    }
  },
  until: (condition) => eventually(condition).then(() => undefined),
})

const simulatedStage = (settings: Partial<NatsSettings>): Stage => {
  const world = new World('script', undefined)
  const server = new NatsServer(world, { ...usualSettings, ...settings })
  return {
    connect: (name, { onData, onClosed }) => {
      const process = new SimulatedProcess(name, world, 0, (thrown) => {
        throw thrown
      })
      const socket = new SimulatedTcp(process, new Link(world), server).open(4222, name)
      socket
        .on('data', onData)
        .on('error', () => undefined)
        .on('close', onClosed)
      return {
        send: (text) => process.run(() => void socket.write(Buffer.from(text, 'latin1'))),
        pause: () => process.stop(),
        resume: () => void process.continue(),
      }
    },
    until: async (condition) => {
      const end = world.now + 60_000
      while (!condition()) {
        if (world.now > end) throw new Error('the condition is not met after a simulated minute')
        await world.runUntil(world.now + 1)
      }
    },
  }
}

describeNats('the simulated NATS server', () => {
  const servers: RealServer[] = []
  const releases: (() => void)[] = []
  const isFor = (script: Script): 0 | 1 => (script.hasUsers === true ? 1 : 0)

  beforeAll(async () => {
    const onFinished = (release: () => void): void => void releases.push(release)
    const configs = [configOf({ title: '', steps: [] }), configOf({ title: '', hasUsers: true, steps: [] })]
    servers.push(...(await Promise.all(configs.map((config) => startNatsServer({ onFinished, config })))))
  })
  afterAll(() => releases.forEach((release) => release()))

  it.each(scripts.map((script) => [script.title, script] as const))(
    '%s, like the real one',
    async (_, script) => {
      const real = await runScript(script, realStage(servers[isFor(script)]!))

      expect(await runScript(script, simulatedStage(settingsOf(script)))).toEqual(real)
    },
  )
})
