import fc from 'fast-check'
import { expect, inject, it } from 'vitest'
import { describeNats } from '../../support/nats/describe-nats.js'
import { startNatsServer } from '../../support/nats/nats-server.js'
import { caseCount } from '../../support/run/long.js'
import { interleavings } from './support/interleavings/commands.js'
import { SystemUnderTest } from './support/interleavings/system-under-test.js'

/** Each wait for a lease, and for the service to return, is seconds long: several sequences run at once. */
const groups = [0, 1, 2, 3]

describeNats('gateways and consumers on NATS', { concurrent: true }, () => {
  it.for(groups)(
    'keep their promises for any sequence of failures, and recover: group %i',
    { timeout: 3_600_000 },
    async (group, { onTestFinished }) => {
      const { url } = await startNatsServer({ onFinished: onTestFinished })
      await fc.assert(
        fc.asyncProperty(interleavings, async (commands) => {
          const system = new SystemUnderTest(url)
          try {
            await system.start()
            await fc.asyncModelRun(() => ({ model: {}, real: system }), commands)
            system.heal()
            if (system.gateways.length === 0) await system.startGateway()
            await system.expectRecovered()
            expect(system.problems()).toEqual([])
          } catch (thrown) {
            throw new Error(system.log, { cause: thrown })
          } finally {
            await system.close()
          }
        }),
        // A failure depends on times, which a shorter sequence does not repeat.
        { seed: inject('seed') + group, numRuns: caseCount(10), endOnFailure: true },
      )
    },
  )
})
