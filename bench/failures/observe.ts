import { setTimeout as sleep } from 'node:timers/promises'
import { startSimulator, startTcpProxy } from 'svc-streams/simulator'
import { ClientProcess, type Report } from './client-process.js'
import type { Observation } from './observation.js'
import type { Scenario } from './scenarios.js'

const unlisted = `svc-0x${'f'.repeat(40)}`

/** Runs one scenario with a simulator, a network and a process of its own. */
export const observe = async (name: string, scenario: Scenario): Promise<Observation> => {
  await using service = await startSimulator({ tick: 50 })
  await using network = await startTcpProxy({ target: service.priceWsUrl })
  const client = new ClientProcess(name, network.url)
  try {
    const topics = { live: `svc-${service.tokens[0]?.address ?? ''}`, unlisted }
    const environment = { service, network, client, topics }
    await until(client, ({ kind }) => kind === 'ready')
    for (let subscriber = 1; subscriber <= (scenario.subscribers ?? 1); subscriber += 1) {
      client.subscribe(subscriber, topics.live)
      await until(client, (report) => report.kind === 'price' && report.subscriber === subscriber)
    }
    const beganAt = performance.now()
    scenario.begin(environment)
    await sleep(scenario.seconds * 1000)
    const endedAt = performance.now()
    scenario.end?.(environment)
    await sleep(scenario.secondsAfter * 1000)
    return { reports: client.reports, beganAt, endedAt, until: performance.now() }
  } finally {
    client.kill()
  }
}

const until = async (client: ClientProcess, matches: (report: Report) => boolean): Promise<void> => {
  while (!client.reports.some(matches)) {
    if (client.reports.some(({ kind }) => kind === 'exit'))
      throw new Error('the client ended before the failure')
    await sleep(50)
  }
}
