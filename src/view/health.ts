import type { Connection } from './connection.js'
import type { TokenState } from './token-state.js'

/** The worst of the connection, of the prices and of the depths of a page. */
export interface PageHealth {
  /** `bad`: nothing of one kind is current. */
  readonly level: 'good' | 'warn' | 'bad'
  /** The state of the connection: `connected`, `behind`. */
  readonly connection: string
  /** What is not current, or what happens next; without a problem, that all prices are current. */
  readonly detail: string
  /** Why the connection is down; empty if it is up, or if the reason is unknown. */
  readonly reason: string
  /** What is not current, in short; `undefined` without a problem, and while the page connects for the first time. */
  readonly problem: string | undefined
}

/** A token, and whether its depth is current; `undefined` if there is none to wait for. */
export interface CheckedToken {
  readonly state: Pick<TokenState, 'state' | 'token'>
  readonly isDepthCurrent: boolean | undefined
}

export const healthOf = (connection: Connection, tokens: readonly CheckedToken[]): PageHealth => {
  const { state, reason, lostAt, health } = connection
  if (state === 'connected') return healthOfData(tokens, health?._tag === 'Up' ? health.switches : undefined)
  const isFirst = state === 'connecting' && lostAt === undefined
  return {
    level: state === 'connecting' || state === 'behind' ? 'warn' : 'bad',
    connection: state,
    detail: state === 'behind' ? 'prices are held' : state.endsWith('lost') ? 'connecting again' : '',
    reason,
    problem: isFirst ? undefined : state,
  }
}

const healthOfData = (tokens: readonly CheckedToken[], switches = 0): PageHealth => {
  const withDepth = tokens.filter(({ isDepthCurrent }) => isDepthCurrent !== undefined)
  const silent = tokens.filter(({ state }) => state.state !== 'live')
  const failed = withDepth.filter(({ isDepthCurrent }) => isDepthCurrent === false)
  const prices = problemOf('price', silent, tokens.length)
  const depths = problemOf('depth', failed, withDepth.length)
  const isBad = [silent.length === tokens.length, failed.length > 0 && failed.length === withDepth.length]
  const problem = problemText(prices, depths)
  const current = tokens.length === 1 ? 'the price is current' : `all ${tokens.length} prices are current`
  return {
    level: problem === undefined ? 'good' : isBad.includes(true) ? 'bad' : 'warn',
    connection: 'connected',
    detail: [problem ?? current, ...(switches === 0 ? [] : [switchesText(switches)])].join(', '),
    reason: '',
    problem,
  }
}

/** How often another line came to the front. */
export const switchesText = (switches: number): string =>
  `${switches} ${switches === 1 ? 'switch' : 'switches'} of the line`

/** What is not current: `no price` and `is current`, `2 of 6 prices` and `are not current`. */
interface Problem {
  readonly subject: string
  readonly verb: 'is current' | 'is not current' | 'are not current'
}

const problemOf = (kind: string, failed: readonly CheckedToken[], count: number): Problem | undefined => {
  const [first] = failed
  if (first === undefined) return undefined
  if (failed.length === count) return { subject: `no ${kind}`, verb: 'is current' }
  if (failed.length > 1) return { subject: `${failed.length} of ${count} ${kind}s`, verb: 'are not current' }
  return { subject: `the ${kind} of ${first.state.token.symbol}`, verb: 'is not current' }
}

const textOf = ({ subject, verb }: Problem): string => `${subject} ${verb}`

/** `2 of 6 prices and 2 of 5 depths are not current`, `no price is current, the depth of ETH is not current`. */
const problemText = (prices: Problem | undefined, depths: Problem | undefined): string | undefined => {
  if (prices === undefined || depths === undefined)
    return prices === undefined ? depths && textOf(depths) : textOf(prices)
  // Two tokens would need another verb.
  const isShared = prices.verb === depths.verb && prices.verb !== 'is not current'
  return isShared ? `${prices.subject} and ${textOf(depths)}` : `${textOf(prices)}, ${textOf(depths)}`
}
