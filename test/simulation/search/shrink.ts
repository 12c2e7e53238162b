import type { ClientPlan } from '../actors/connect.js'
import { formatTime } from '../world/world.js'
import { runEpisode, type Violation } from './episode.js'
import type { Scenario, Step } from './scenario.js'

/** A scenario that violates an invariant, without the steps that it does not need. */
export interface Failure {
  readonly scenario: Scenario
  readonly violation: Violation
}

/** The longest real time of one search for a shorter history, without its last run. In ms. */
const longestSearch = 120_000

/** Removes steps while the scenario still violates the same invariant. */
export const shrink = async (failing: Failure): Promise<Failure> => {
  let best = withSteps(
    failing,
    failing.scenario.steps.filter(({ at }) => at <= failing.violation.at),
  )
  const endsAt = performance.now() + longestSearch
  const attempt = async (steps: readonly Step[]): Promise<boolean> => {
    const scenario = { ...best.scenario, steps }
    const { violation } = await runEpisode(scenario)
    if (violation === undefined || kindOf(violation) !== kindOf(best.violation)) return false
    best = { scenario, violation }
    return true
  }
  for (let size = Math.ceil(best.scenario.steps.length / 2); size >= 1 && performance.now() < endsAt;) {
    let hasRemoved = false
    for (let start = 0; start < best.scenario.steps.length && performance.now() < endsAt;) {
      const { steps } = best.scenario
      if (await attempt([...steps.slice(0, start), ...steps.slice(start + size)])) hasRemoved = true
      else start += size
    }
    if (size > 1) size = Math.ceil(size / 2)
    else if (!hasRemoved) break
  }
  return best
}

/** The history as a person reads it: the settings, one line per step, and the violation. */
export const describeFailure = ({ scenario, violation }: Failure): string => {
  const { seed, hasEvenDraws, traders, gateways, natsGateways, natsServers, intervals, steps } = scenario
  const { at, who, problem } = violation
  return [
    `Seed ${seed}. A price of each topic every ${intervals.join(', ')} ms.`,
    ...(hasEvenDraws ? ['The library draws 1/2 each time: a wait with jitter has half of its maximum.'] : []),
    ...traders.map(({ strategy, via, ...plan }, index) => {
      const server = via === undefined ? 'the service' : via === 'nats' ? 'NATS' : `gateway ${via}`
      return `client ${index} of ${server}: ${strategy}, ${describeTimes(plan)}`
    }),
    ...gateways.map(({ upstream, maxBufferedBytes, ...plan }, index) => {
      const server = upstream === 'service' ? 'the service' : `gateway ${upstream}`
      return `gateway ${index} of ${server}: ${describeTimes(plan)}, maxBufferedBytes ${maxBufferedBytes}`
    }),
    ...natsGateways.map((plan, index) => `gateway ${index} over NATS: ${describeTimes(plan)}`),
    ...(natsServers > 1 ? [`a cluster of ${natsServers} NATS servers`] : []),
    ...steps.map(({ at: time, action }) => `${formatTime(time)} ${describeStep(action)}`),
    `${formatTime(at)} ${who}: ${problem}`,
  ].join('\n')
}

const describeTimes = ({ times, natsServers }: Omit<ClientPlan, 'clockError'>): string => {
  const parts = Object.entries(times).map(([name, ms]) => `${name} ${ms}`)
  return [...parts, ...(natsServers === undefined ? [] : [`NATS servers ${natsServers.join(' ')}`])].join(
    ', ',
  )
}

const describeStep = ({ do: name, ...parameters }: Step['action']): string => {
  const all = Object.entries(parameters).map(([key, value]) => `${key} ${JSON.stringify(value)}`)
  return [name, all.join(', ')].join(': ')
}

const withSteps = ({ scenario, violation }: Failure, steps: readonly Step[]): Failure => ({
  scenario: { ...scenario, steps },
  violation,
})

/** Which invariant is violated: its text without the numbers and the topic. */
const kindOf = ({ problem }: Violation): string =>
  problem.replace(/svc-0x\w+|0x\w+/g, 'topic').replace(/\d+/g, 'N')
