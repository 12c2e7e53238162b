// A strategy for the table of accounts: a pair that is turned when the ratio of its prices is far from its average. Without
// an account, its value is the number of its orders; with one, the account at the end.
import { count, mergeMap, takeLast } from 'rxjs'
import { defineTokens } from '../node_modules/.build/index.js'
import { combineFresh, mapRight, rights, rolling } from '../node_modules/.build/operators/index.js'
import { paper, target } from '../node_modules/.build/paper/index.js'

const orders$ = ({ price$ }, { topics: [a, b], length }) => {
  let side = 0
  return combineFresh({ a: price$(a), b: price$(b) }, { maxSkew: 15_000 }).pipe(
    mapRight(({ a, b }) => a.price / b.price),
    rolling({ count: length }),
    rights(),
    mergeMap(({ isFull, zScore }) => {
      if (!isFull || zScore === null || Math.abs(zScore) < 1.5 || Math.sign(zScore) === -side) return []
      side = -Math.sign(zScore)
      return [target('A', { usd: side * 2_000 }), target('B', { usd: -side * 2_000 })]
    }),
  )
}

export default (client, parameter) => {
  if (!parameter.hasAccount) return orders$(client, parameter).pipe(count())
  const [A, B] = parameter.topics.map((topic) => ({
    address: topic.slice(topic.indexOf('-') + 1),
    decimals: 18,
  }))
  const options = {
    ...{ tokens: defineTokens({ A, B }), cash: 100_000, allowShort: true },
    ...{ feeBps: 2, slippageBps: 1, latency: 50, depthInterval: 1_000 },
  }
  return paper(client, (own) => orders$(own, parameter), options).pipe(takeLast(1))
}
