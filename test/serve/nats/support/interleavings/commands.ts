import fc from 'fast-check'
import { expect } from 'vitest'
import { eventually } from '../../../../support/time/eventually.js'
import { consumerCount, topics, type SystemUnderTest } from './system-under-test.js'
import type { MessageFault } from './faulty-link.js'

type Command = fc.AsyncCommand<object, SystemUnderTest>

/** What a command does, and when it can. */
interface Step {
  readonly name: string
  readonly run: (system: SystemUnderTest) => unknown
}

const maxGateways = 2

/** Runs a step, and fails if a consumer has observed what it must not. */
const commandOf = ({ name, run }: Step): Command => ({
  check: () => true,
  run: async (_model, system) => {
    await run(system)
    expect(system.problems()).toEqual([])
  },
  toString: () => name,
})

/** Waits for a time that the market measures. */
const passTicks = async ({ market }: SystemUnderTest, ticks: number): Promise<void> => {
  const end = market.ticks + ticks
  await eventually(() => market.ticks >= end)
}

const index = fc.nat(10)

/** The item at an index of any size. */
const at = <A>(items: readonly A[], position: number): A | undefined => items[position % items.length]

const direction = fc.constantFrom('up' as const, 'down' as const)

const fault: fc.Arbitrary<MessageFault> = fc.record({
  direction,
  of: fc.constantFrom('price' as const, 'renewal' as const, 'other' as const),
  kind: fc.constantFrom('lose' as const, 'repeat' as const, 'swap' as const),
})

const topicOfConsumer = fc.record({ consumer: fc.nat(consumerCount - 1), topic: fc.constantFrom(...topics) })

type TopicOfConsumer = typeof topicOfConsumer extends fc.Arbitrary<infer A> ? A : never

/** Subscribes, or unsubscribes what is subscribed. */
const toggle = ({ consumers }: SystemUnderTest, { consumer, topic }: TopicOfConsumer): void => {
  const subject = consumers[consumer]
  if (subject?.wants(topic) === true) subject.unsubscribe(topic)
  else subject?.subscribe(topic)
}

const toggleTopic = topicOfConsumer.map((each): Step => ({
  name: `toggle ${each.consumer} ${each.topic.slice(-4)}`,
  run: (system) => toggle(system, each),
}))

/** Subscribes or unsubscribes, with a fault of the message to the gateway or of its confirmation. */
const toggleWithFault = fc.tuple(topicOfConsumer, fault).map(([each, { kind, direction: to }]): Step => ({
  name: `toggle ${each.consumer} ${each.topic.slice(-4)}: ${kind} ${to}`,
  run: async (system) => {
    system.consumers[each.consumer]?.link.add({ kind, direction: to, of: 'other' })
    toggle(system, each)
    // After `linger`, the message is sent.
    await passTicks(system, 4)
  },
}))

const changeGateways = index.map((position): Step => ({
  name: `start or stop a gateway ${position}`,
  run: (system) =>
    system.gateways.length < maxGateways
      ? system.startGateway()
      : system.stopGateway(position % system.gateways.length),
}))

const replaceConsumer = fc.nat(consumerCount - 1).map((position): Step => ({
  name: `replace consumer ${position}`,
  run: (system) => system.replaceConsumer(position),
}))

const dropConnection = index.map((position): Step => ({
  name: `drop the connection ${position} to NATS`,
  run: ({ links }) => at(links, position)?.dropConnections(),
}))

const messageFaults = fc
  .record({ position: index, faults: fc.array(fault, { minLength: 1, maxLength: 4 }) })
  .map(({ position, faults }): Step => ({
    name: `connection ${position}: ${faults.map(({ direction: to, of, kind }) => `${kind} ${of} ${to}`).join()}`,
    run: ({ links }) => {
      for (const each of faults) at(links, position)?.add(each)
    },
  }))

const delayMessages = fc
  .record({ position: index, to: direction, ms: fc.nat(900) })
  .map(({ position, to, ms }): Step => ({
    name: `delay connection ${position} ${to} by ${ms} ms`,
    run: ({ links }) => at(links, position)?.delay(to, ms),
  }))

const dropService = index.map((position): Step => ({
  name: `drop the service ${position}`,
  run: ({ gateways }) => at(gateways, position)?.service.dropConnections(),
}))

const changeSilence = fc.constant<Step>({
  name: 'begin or end the silence of the market',
  run: ({ market }) => (market.isSilent = !market.isSilent),
})

const wait = fc.integer({ min: 1, max: 30 }).map((ticks): Step => ({
  name: `wait for ${ticks} ticks`,
  run: async ({ market }) => {
    const end = market.ticks + ticks
    await eventually(() => market.ticks >= end)
  },
}))

/** Any sequence of what users, machines and networks do. */
export const interleavings = fc.commands<object, SystemUnderTest, false>(
  [
    toggleTopic,
    toggleTopic,
    toggleWithFault,
    toggleWithFault,
    toggleWithFault,
    changeGateways,
    replaceConsumer,
    dropConnection,
    messageFaults,
    messageFaults,
    delayMessages,
    dropService,
    changeSilence,
    wait,
    wait,
    wait,
  ].map((step) => step.map(commandOf)),
  { maxCommands: 15, size: 'max' },
)
