import type { Socket } from 'node:net'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { describeNats } from '../../support/nats/describe-nats.js'
import { startNatsServer, type NatsServer as RealServer } from '../../support/nats/nats-server.js'
import { usualSettings, type NatsSettings } from '../actors/nats-server.js'
import { clusterScripts } from './cluster-scripts.js'
import { startRealCluster, type RealCluster } from './real-cluster.js'
import { runClusterScript } from './run-cluster-script.js'
import { runScript, withoutLostReasons } from './run-script.js'
import { maxPayload, scripts, type Script } from './scripts.js'
import { realClusterStage, realStage, simulatedClusterStage, simulatedStage } from './stages.js'

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

const destroyAfterTest = (socket: Socket): void => onTestFinished(() => void socket.destroy())

const pings = { ping_interval: 400, ping_max: 2 }

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
    ...(script.hasUsers === true
      ? [`authorization { timeout: 60, users: ${JSON.stringify(authorization)} }`]
      : []),
  ].join('\n')
}

describeNats('the simulated NATS server', () => {
  const servers: RealServer[] = []
  const releases: (() => void)[] = []
  const serverOf = ({ hasUsers }: Script): RealServer => servers[hasUsers === true ? 1 : 0]!

  beforeAll(async () => {
    const onFinished = (release: () => void): void => void releases.push(release)
    const configs = [configOf({ title: '', steps: [] }), configOf({ title: '', hasUsers: true, steps: [] })]
    servers.push(...(await Promise.all(configs.map((config) => startNatsServer({ onFinished, config })))))
  })
  afterAll(() => releases.forEach((release) => release()))

  it.each(scripts.map((script) => [script.title, script] as const))(
    '%s, like the real one',
    async (_, script) => {
      const real = await runScript(script, realStage(serverOf(script).port, destroyAfterTest))
      const simulated = await runScript(script, simulatedStage(settingsOf(script)))

      expect(withoutLostReasons(simulated, real)).toEqual(real)
    },
  )
})

describeNats('the simulated cluster of NATS servers', () => {
  let real: RealCluster
  const releases: (() => void)[] = []

  beforeAll(async () => {
    real = await startRealCluster((release) => void releases.push(release))
  })
  afterAll(() => releases.forEach((release) => release()))

  it.each(clusterScripts.map((script) => [script.title, script] as const))(
    'has servers that %s, like the real ones',
    async (_, script) => {
      const expected = await runClusterScript(script, realClusterStage(real, destroyAfterTest))
      const simulated = await runClusterScript(script, simulatedClusterStage())

      expect(withoutLostReasons(simulated, expected)).toEqual(expected)
    },
  )
})
