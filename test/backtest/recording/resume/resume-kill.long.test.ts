import { join } from 'node:path'
import { firstValueFrom, toArray } from 'rxjs'
import { record, replay } from 'svc-streams/recording'
import { startGateway } from 'svc-streams/gateway'
import { startTcpProxy } from 'svc-streams/simulator'
import { expect, it } from 'vitest'
import { seededRandom } from '../../../../src/simulator/market/seeded-random.js'
import { closeAfterTest } from '../../../support/close-after-test.js'
import { startDistantLink } from '../../../support/network/distant-link.js'
import { createPriceClient } from '../../../support/network/scripted-service.js'
import { newFolder } from '../../../support/new-folder.js'
import { compiledPath, spawnNode } from '../../../support/process/node-process.js'
import { startTestSimulator } from '../../../support/simulator.js'
import { eventually } from '../../../support/time/eventually.js'
import { ethTopic } from '../../../support/tokens.js'
import { decision$ } from '../support/decisions.js'

const program = 'test/backtest/recording/programs/decide-until-killed.ts'
const caughtUp = '{"_tag":"CaughtUp"}'

it(
  'a process that is killed at any time decides from there on as one that was never interrupted, also after outages',
  { timeout: 120_000 },
  async () => {
    const random = seededRandom('kill -9')
    const simulator = await startTestSimulator({ tick: 5 })
    // The recorder and the run have the positions of one gateway, which join past and live prices.
    const gateway = closeAfterTest(await startGateway(createPriceClient(simulator.priceWsUrl)))
    const network = closeAfterTest(await startTcpProxy({ target: gateway.priceWsUrl }))
    const reconnect = { initialDelay: 5, maxDelay: 50 }
    const path = join(newFolder(), 'market.ndjson')
    const recorder = record(createPriceClient(network.url, { reconnect }), { topics: [ethTopic], to: path })
    await eventually(() => expect(recorder.rows).toBeGreaterThan(100))
    const url = await startDistantLink(gateway.priceWsUrl, 50)
    const runs: (readonly string[])[] = []
    for (let kill = 0; kill < 8; kill++) {
      if (kill % 3 === 1) network.cut()
      const run = spawnNode([compiledPath(program), path, url])
      const lines = (): readonly string[] => run.stdout.split('\n').slice(0, -1)
      if (kill % 3 === 1) {
        await eventually(() => expect(lines().length).toBeGreaterThan(0))
        network.heal()
      }
      const count = 1 + 100 * random()
      await eventually(() => expect(lines().indexOf(caughtUp)).toBeGreaterThan(0))
      await eventually(() => expect(lines().length - lines().indexOf(caughtUp)).toBeGreaterThan(count))
      run.process.kill('SIGKILL')
      await run.waitForExit()
      runs.push(lines())
    }
    await recorder.stop()
    const values = await firstValueFrom(replay(path, { speed: Infinity }).run$(decision$).pipe(toArray()))
    const all = values.map((value) => JSON.stringify(value))
    for (const lines of runs) {
      const decisions = lines.filter((line) => line !== caughtUp)
      expect(decisions).toEqual(all.slice(0, decisions.length))
    }
  },
)
