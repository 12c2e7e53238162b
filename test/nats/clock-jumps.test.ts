import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { describeNats } from '../support/nats/describe-nats.js'
import type { ConsumerProcess } from './support/consumer-process.js'
import { expectNoProblems, startFleet, startSubscribedConsumer, topics } from './support/start-fleet.js'

const hour = 3_600_000

/** The prices that a consumer received after a time, in ms since the epoch. `shift`: of its wall clock. */
const pricesSince = (consumer: ConsumerProcess, since: number, shift: number) =>
  consumer
    .events()
    .filter(({ at, tag }) => tag === 'Right' && at > since)
    .map(({ at, price = NaN, receivedAt = NaN }) => ({ price, at, receivedAt: receivedAt - shift }))

const jumps = [
  ['gateway', hour],
  ['gateway', -hour],
  ['consumer', hour],
  ['consumer', -hour],
] as const

describeNats('gateways and consumers whose clocks jump', { concurrent: true }, () => {
  it.for(jumps)(
    'pass current prices on with the right ages when the time of day of the %s jumps by %i ms',
    async ([subject, jump], test) => {
      const { fleet } = await startFleet(test)
      const gateway = await fleet.startGateway()
      const consumer = await startSubscribedConsumer(fleet)
      await (subject === 'gateway' ? gateway.process : consumer).changeClock({ jump })
      const jumpedAt = Date.now()
      await consumer.pricesSince(jumpedAt + 500, ...topics)
      // A jump forward may be a suspend, and what arrives may be from before: prices are dropped, or the session ends.
      const isProblem = (problem: string) => jump < 0 || !/ is (?:[2-9]|\d\d+) prices after /.test(problem)
      expect(fleet.problemsOf(consumer).filter(isProblem)).toEqual([])
      if (jump < 0) expect(consumer.events().filter(({ tag }) => tag === 'Disconnected')).toEqual([])
      const prices = pricesSince(consumer, jumpedAt, subject === 'consumer' ? jump : 0)
      // A price is received after it was emitted, and before it is delivered. Times are rounded.
      expect(
        prices.filter(({ price, at, receivedAt }) => receivedAt < price - 1 || receivedAt > at + 1),
      ).toEqual([])
    },
  )

  it.for([
    ['gateway', 1_200],
    ['gateway', 3_000],
    ['consumer', 1_200],
    ['consumer', 3_000],
  ] as const)(
    'deliver no price from before the suspend when the machine of the %s was suspended for %i ms',
    async ([subject, ms], test) => {
      const { fleet } = await startFleet(test)
      const gateway = await fleet.startGateway()
      const consumer = await startSubscribedConsumer(fleet)
      const process = subject === 'gateway' ? gateway.process : consumer
      await process.changeClock('suspend clock with process')
      const stoppedAt = process.signal('SIGSTOP')
      // How long the suspend lasts is what this test is about.
      await sleep(ms)
      process.signal('SIGCONT')
      await expectNoProblems(fleet, consumer, undefined, stoppedAt)
    },
  )
})
