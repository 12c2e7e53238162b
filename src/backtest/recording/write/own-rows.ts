import { right } from 'fp-ts/lib/Either.js'
import { isAddress, type Address, isTopicOfAnyService, type Topic } from '../../../base/domain/topic.js'
import type { DepthSide } from '../../../base/domain/depth.js'
import { isPriceValue } from '../../../base/domain/valid-numbers.js'
import { unitHint } from '../codec/times.js'
import { describeValue } from '../../../base/errors/text.js'
import type { TokenDefinition } from '../../../client/tokens.js'
import type { DepthRow, PriceRow, RecordingHeader } from '../codec/row.js'
import { maxDistance } from '../codec/timeline.js'

/** A price of the caller's own data. */
export interface OwnPrice {
  /** In ms since the Unix epoch, of the years 2000 to 2099. */
  readonly at: number
  readonly topic: Topic
  /** In USD, finite and above zero. */
  readonly price: number
}

/** A depth of the caller's own data. */
export interface OwnDepth {
  /** In ms since the Unix epoch, of the years 2000 to 2099. */
  readonly at: number
  readonly mint: Address
  /** The midpoint price in USD, finite and above zero. */
  readonly price: number
  /** The quantity that can be bought, in base-token units. */
  readonly buy: bigint
  /** The quantity that can be sold, in base-token units. */
  readonly sell: bigint
}

export type OwnRow = OwnPrice | OwnDepth

const earliest = Date.UTC(2000, 0)
const latest = Date.UTC(2100, 0)

/** True for a time in ms since the Unix epoch of the years 2000 to 2099. */
export const isOwnTime = (at: unknown): at is number =>
  typeof at === 'number' && at >= earliest && at < latest

export type RecordedNames = Pick<RecordingHeader, 'topics' | 'mints'>

/** Converts the rows of one recording, in order. */
export class OwnRows {
  /** The time of the last row. */
  private previous: number | undefined
  private readonly decimals: ReadonlyMap<string, number>
  private readonly topics: Set<Topic>
  /** With their decimals. */
  private readonly mints = new Map<Address, number>()

  /** `known`: the names that are known before the rows. */
  constructor(tokens: readonly TokenDefinition[], known: Partial<RecordedNames>) {
    this.decimals = new Map(tokens.map(({ address, decimals }) => [address.toLowerCase(), decimals]))
    this.topics = new Set(known.topics)
    for (const mint of known.mints ?? []) this.decimalsOf(mint)
  }

  /** The known names, and those of the rows so far. */
  get names(): RecordedNames {
    return { topics: [...this.topics], mints: [...this.mints.keys()] }
  }

  get nameCount(): number {
    return this.topics.size + this.mints.size
  }

  /** The row of a recording, or the problem of the caller's row. */
  rowOf(own: OwnRow): PriceRow | DepthRow | string {
    if (typeof own !== 'object' || (own as unknown) === null)
      return `expected an object like { at, topic, price }, got ${describeValue(own)}`
    const problem = this.timeProblem(own.at)
    if (problem !== undefined) return problem
    if (!isPriceValue(own.price)) return expected('price', 'a finite number above 0', own.price)
    this.previous = own.at
    return 'topic' in own ? this.priceRow(own) : this.depthRow(own)
  }

  private timeProblem(at: number): string | undefined {
    if (!isOwnTime(at))
      return `${expected('at', 'ms since the Unix epoch, of the years 2000 to 2099', at)}${unitHint(at)}`
    const { previous = at } = this
    if (at < previous) return expected('at', `a time not before that of the previous row, ${previous}`, at)
    return at - previous > maxDistance
      ? expected('at', `a time at most 365 days after that of the previous row, ${previous}`, at)
      : undefined
  }

  private depthRow({ at, mint, price, buy, sell }: OwnDepth): DepthRow | string {
    const decimals = this.mints.get(mint) ?? this.decimalsOf(mint)
    if (typeof decimals === 'string') return decimals
    if (!isQuantity(buy)) return expected('buy', 'a bigint of at least 0n', buy)
    if (!isQuantity(sell)) return expected('sell', 'a bigint of at least 0n', sell)
    // The closest number. A row that is only written needs no `createDepthSide`, which makes its fields slow.
    const side = (totalQuantity: bigint): DepthSide => ({
      totalQuantity,
      totalQuantityUsd: Number(`${totalQuantity}e-${decimals}`) * price,
    })
    const depth = { mint, price, timestamp: at, buy: side(buy), sell: side(sell), receivedAt: at }
    if (!Number.isFinite(depth.buy.totalQuantityUsd + depth.sell.totalQuantityUsd))
      return expected('buy and sell', 'quantities whose value in USD is finite', undefined)
    return { _tag: 'Depth', at, mint, event: right(depth) }
  }

  private decimalsOf(mint: Address): number | string {
    if (!isAddress(mint)) return expected('mint', '0x and hex digits, or a topic', mint)
    const decimals = this.decimals.get(mint.toLowerCase())
    if (decimals === undefined) return `mint: ${mint} is not in tokens, so that its decimals are unknown`
    this.mints.set(mint, decimals)
    return decimals
  }

  private priceRow({ at, topic, price }: OwnPrice): PriceRow | string {
    if (!this.topics.has(topic)) {
      if (!isTopicOfAnyService(topic)) return expected('topic', 'a topic like svc-0x82af…', topic)
      this.topics.add(topic)
    }
    return { _tag: 'Price', at, topic, event: right({ topic, price, receivedAt: at, epoch: 1 }) }
  }
}

const isQuantity = (value: unknown): boolean => typeof value === 'bigint' && value >= 0n

const expected = (name: string, what: string, actual: unknown): string =>
  `${name}: expected ${what}, got ${describeValue(actual)}`
