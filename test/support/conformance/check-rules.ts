import { ethTopic } from '../tokens.js'
import { checkGateway, readHealth } from './gateway-rules.js'
import { checkHttp } from './http-rules.js'
import { notTested, ruleIds, type ConformanceTarget, type RuleId, type Verdicts } from './rules.js'
import { checkSocket } from './socket-rules.js'

interface Conformance {
  readonly verdicts: Readonly<Record<RuleId, string>>
  /** Each rule that is broken, with the reason. */
  readonly broken: Verdicts
  readonly untested: readonly RuleId[]
}

/** Checks a service or a gateway against all rules. */
export const checkRules = async (
  given: Partial<ConformanceTarget> & Pick<ConformanceTarget, 'http'>,
): Promise<Conformance> => {
  const target: ConformanceTarget = {
    webSocket: given.http.replace(/^http/, 'ws'),
    topic: ethTopic,
    limit: 5_000,
    topicLimit: 1000,
    ...given,
  }
  const health = await readHealth(target)
  const isDown = health?.status === 503
  const found: Verdicts = {
    ...(isDown ? {} : await checkSocket(target, health !== undefined)),
    ...(isDown ? {} : await checkHttp(target)),
    ...(health === undefined ? {} : await checkGateway(target, health)),
  }
  const verdicts = Object.fromEntries(ruleIds.map((id) => [id, found[id] ?? notTested]))
  const isBroken = ([, verdict]: readonly [string, string]) => verdict !== 'passed' && verdict !== notTested
  return {
    verdicts: verdicts as Conformance['verdicts'],
    broken: Object.fromEntries(Object.entries(verdicts).filter(isBroken)),
    untested: ruleIds.filter((id) => verdicts[id] === notTested),
  }
}
