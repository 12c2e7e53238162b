import { setTimeout as sleep } from 'node:timers/promises'
import { isRight, type Either } from 'fp-ts/lib/Either.js'
import type { Address, Client } from 'svc-streams'
import type { ChaosContext } from './actions.js'
import { baseOf } from './price-frame.js'

/** A depth poll, and its last state. */
export interface ObservedPoll {
  readonly mint: Address
  hasDepth: boolean
  /** Undefined while the poll runs. It must not end. */
  end: 'failed' | 'completed' | undefined
}

export const observePoll = (client: Client, mint: Address): ObservedPoll => {
  const poll: ObservedPoll = { mint, hasDepth: false, end: undefined }
  client.depth$(mint, 20).subscribe({
    next: (event) => (poll.hasDepth = isRight(event)),
    error: () => (poll.end = 'failed'),
    complete: () => (poll.end ??= 'completed'),
  })
  return poll
}

/** Ends all faults. Resets the connections, so that the service forgets corrupted frames. */
export const endFaults = ({ simulator, prices, relayer }: ChaosContext): void => {
  simulator.inject({})
  prices.heal()
  relayer.heal()
  prices.reset()
}

/** Waits until the client has recovered. Returns what has not recovered within 10 s. */
export const awaitRecovery = (
  context: ChaosContext,
  polls: readonly ObservedPoll[],
): Promise<readonly string[]> => remaining(() => unrecovered(context, polls))

const unrecovered = (
  { simulator, client, checker }: ChaosContext,
  polls: readonly ObservedPoll[],
): string[] => {
  const { wantedTopics } = checker
  const subscribedTopics = simulator.connections.flatMap(({ topics }) => topics.map(baseOf)).sort()
  const { status } = client.inspect()
  const withoutPrice = checker.subscriptions.filter(({ active, lastEvent }) => active && !isPrice(lastEvent))
  return [
    ...(subscribedTopics.join() === wantedTopics.join()
      ? []
      : [`wanted ${wantedTopics.join()}; subscribed to ${subscribedTopics.join()}`]),
    ...(status._tag === 'Open' ? [] : [`the status is ${status._tag}`]),
    ...withoutPrice.map(({ topic }) => `${topic} has no price`),
    ...polls.filter(({ hasDepth }) => !hasDepth).map(({ mint }) => `the poll of ${mint} has no depth`),
    ...polls.flatMap(({ mint, end }) => (end === undefined ? [] : [`the poll of ${mint} ${end}`])),
  ]
}

const isPrice = (event: Either<unknown, unknown> | undefined): boolean =>
  event !== undefined && isRight(event)

/** Resolves once a check finds no problem, with the empty list. After 10 s: with what the last check has found. */
export const remaining = async (
  findProblems: () => readonly string[] | Promise<readonly string[]>,
): Promise<readonly string[]> => {
  const end = performance.now() + 10_000
  for (;;) {
    const problems = await findProblems()
    // Not checked again: what happens after a check without problems is no result of the wait.
    if (problems.length === 0 || performance.now() >= end) return problems
    await sleep(10)
  }
}
