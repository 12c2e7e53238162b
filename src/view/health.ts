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
  /** Why the connection is down, or which tokens are not current; empty if all is good, or the reason is unknown. */
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
    detail: state === 'behind' ? 'prices are held' : state.endsWith('lost') ? lostDetail(connection) : '',
    reason,
    problem: isFirst ? undefined : state,
  }
}

const lostDetail = ({ health, reason }: Connection): string =>
  health?._tag === 'Down' && health.isOver === true ? reason : 'connecting again'

const healthOfData = (tokens: readonly CheckedToken[], switches = 0): PageHealth => {
  const withDepth = tokens.filter(({ isDepthCurrent }) => isDepthCurrent !== undefined)
  const silent = tokens.filter(({ state }) => state.state !== 'live')
  const failed = withDepth.filter(({ isDepthCurrent }) => isDepthCurrent === false)
  const problems = [
    ...problemOf('price', silent, tokens.length),
    ...problemOf('depth', failed, withDepth.length),
  ]
  const isBad = silent.length === tokens.length || (failed.length > 0 && failed.length === withDepth.length)
  const problem = problems.length === 0 ? undefined : problems.join(', ')
  const current = tokens.length === 1 ? 'the price is current' : `all ${tokens.length} prices are current`
  return {
    level: problem === undefined ? 'good' : isBad ? 'bad' : 'warn',
    connection: 'connected',
    detail: [problem ?? current, ...(switches === 0 ? [] : [switchesText(switches)])].join(', '),
    reason: namesOf([...silent, ...failed]),
    problem,
  }
}

/** The first tokens that are not current. */
const namesOf = (tokens: readonly CheckedToken[]): string =>
  [...new Set(tokens.map(({ state }) => state.token.symbol))].slice(0, mostNames).join(', ')

const mostNames = 10

const problemOf = (kind: string, failed: readonly CheckedToken[], count: number): readonly string[] => {
  const [first] = failed
  if (first === undefined) return []
  if (failed.length === count) return [`no ${kind} is current`]
  if (failed.length > 1) return [`${failed.length} of ${count} ${kind}s are not current`]
  return [`the ${kind} of ${first.state.token.symbol} is not current`]
}

/** How often another line came to the front. */
export const switchesText = (switches: number): string =>
  `${switches} ${switches === 1 ? 'switch' : 'switches'} of the line`
