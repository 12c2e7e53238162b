import { firstProblem } from '../invariants/first-problem.js'
import { confirmTimeout } from './core.js'
import { names, type Name } from './events.js'
import type { OrderRun } from './run-order.js'

// What holds for the core at the end of each turn.

type Rule = (run: OrderRun) => string | undefined

const eachTopic =
  (rule: (run: OrderRun, name: Name) => string | undefined): Rule =>
  (run) => {
    for (const name of names) {
      const problem = rule(run, name)
      if (problem !== undefined) return problem
    }
    return undefined
  }

const isWanted = ({ core }: OrderRun, name: Name): boolean => core.activeOf(name).length > 0

const wantedTopicsAreRequested = eachTopic((run, name) => {
  const { core, wire, now } = run
  if (core.socket?.state !== 'open' || !isWanted(run, name)) return undefined
  const { isRequested, timedOutAt } = wire.topics[name]
  if (!isRequested) return `${name} is wanted and not requested`
  if (timedOutAt === undefined) return undefined
  const mayWait = wire.hasText && names.some((other) => wire.isPending(other))
  return mayWait && now < timedOutAt + confirmTimeout ? undefined : `${name} is not requested again`
})

const unwantedTopicsAreReleased = eachTopic((run, name) => {
  const { wire, idleSince, now, times } = run
  const { isRequested, timedOutAt } = wire.topics[name]
  const since = idleSince[name]
  if (!isRequested || since === undefined || isWanted(run, name)) return undefined
  const isDue = timedOutAt !== undefined || now >= since + times.linger
  return isDue ? `${name} is unwanted and not released` : undefined
})

const theStatusIsTrue: Rule = (run) => {
  const { core, wire, isClosed } = run
  const isNeeded = names.some((name) => isWanted(run, name) || wire.topics[name].isRequested)
  const allowed = isClosed ? ['Closed'] : statusesOf(core.socket?.state, isNeeded)
  const { _tag: tag } = core.status
  if (!allowed.includes(tag)) return `the status is ${tag}, expected ${allowed.join(' or ')}`
  const isWaiting = !isClosed && isNeeded && core.socket === undefined
  return isWaiting && !core.hasTimer ? 'a dial is needed, and none is scheduled' : undefined
}

const statusesOf = (socket: string | undefined, isNeeded: boolean): readonly string[] => {
  if (socket === 'open') return isNeeded ? ['Open'] : ['no socket']
  if (socket === 'connecting') return isNeeded ? ['Connecting'] : ['no dial']
  return isNeeded ? ['Waiting', 'Connecting'] : ['Idle']
}

const statesAreTrue = eachTopic((run, name) => {
  const { core, wire } = run
  const snapshot = core.snapshot.find(({ topic }) => topic.endsWith(name.toLowerCase()))
  const { isRequested, isLive, activeAt, price } = wire.topics[name]
  const count = core.activeOf(name).length
  if (count === 0 && !isRequested) return snapshot === undefined ? undefined : `${name} is kept`
  const phase = isLive ? 'live' : activeAt === undefined ? 'waiting' : 'stale'
  const state = count === 0 ? 'lingering' : phase
  if (snapshot?.state !== state) return `the state of ${name} is ${snapshot?.state}, expected ${state}`
  if (snapshot.subscribers !== count) return `${name} has ${snapshot.subscribers} subscribers, not ${count}`
  const hasPrice = snapshot.lastPriceAgeMs !== null
  return hasPrice === (price !== undefined) ? undefined : `${name} has a price: ${hasPrice}`
})

const aClosedClientIsEmpty: Rule = ({ core, isClosed }) => {
  if (!isClosed) return undefined
  const { pending } = core.clock
  if (pending > 0) return `a closed client has ${pending} timers`
  return core.socket === undefined ? undefined : 'a closed client has a socket'
}

const rules = [
  wantedTopicsAreRequested,
  unwantedTopicsAreReleased,
  theStatusIsTrue,
  statesAreTrue,
  aClosedClientIsEmpty,
]

export const problemOfCore = (run: OrderRun): string | undefined => firstProblem(rules, run)
