import { isLeft, left, right, type Either } from 'fp-ts/lib/Either.js'
import * as t from 'io-ts/lib/index.js'
import { decodeError } from '../../../base/errors/constructors.js'
import type { DecodeError } from '../../../base/errors/model.js'
import { describeValue } from '../../../base/errors/text.js'
import { guardCodec, parseJson, toDecodeError } from '../../../wire/codec/decode.js'
import { PriceValue } from '../../../wire/codec/number.js'
import { isValueTime } from '../../recording/codec/times.js'
import { JsonNumber } from '../../recording/codec/value-codecs.js'
import type { PaperEvent } from '../events.js'
import { orderProblem } from '../order-check.js'
import type { TradeOrder } from '../orders.js'
import { journalTags, journalVersion, type SavedState, type StartLine } from './journal.js'

// A journal may have been written by another version, by hand, or by a disk that fails.

export type JournalLine = PaperEvent | SavedState | StartLine

/** Decodes a line of a journal. One of a newer version is refused before its other fields are read. */
export const decodeJournalLine = (text: string): Either<DecodeError, JournalLine> => {
  const json = parseJson(text, withUnits)
  if (isLeft(json) || !Tagged.is(json.right)) {
    const issue = { path: '', expected: what, actual: describeValue(text.slice(0, 80)) }
    return left(decodeError(what, text, [issue]))
  }
  const version = Versioned.decode(json.right)
  if (isLeft(version)) return left(toDecodeError(what, text, version.left))
  const line = (codecs[json.right._tag] ?? AnyLine).decode(json.right)
  return isLeft(line) ? left(toDecodeError(what, text, line.left)) : right(line.right as JournalLine)
}

const what = 'a line of a journal'

const Tagged = t.type({
  _tag: guardCodec('a tag', (value): value is string => value !== 'WriteError' && journalTags.has(value)),
})

const Versioned = t.partial({
  version: guardCodec(
    `at most ${journalVersion}, because a newer version of svc-streams wrote this line`,
    (value): value is number | undefined =>
      value === undefined || (Number.isInteger(value) && (value as number) <= journalVersion),
  ),
})

const optional = <A>(codec: t.Type<A, unknown>) => t.union([codec, t.undefined], `${codec.name}, or nothing`)

const unitFields: ReadonlySet<string> = new Set(['quantity', 'remaining', 'units', 'buy', 'sell'])

/** A reviver: units are decimal text in JSON. */
const withUnits = (name: string, value: unknown): unknown =>
  unitFields.has(name) && typeof value === 'string' && /^-?\d{1,1000}$/.test(value) ? BigInt(value) : value

const units = (name: string, isValid: (value: bigint) => boolean): t.Type<bigint> =>
  guardCodec(name, (value): value is bigint => typeof value === 'bigint' && isValid(value))

const number = (name: string, isValid: (value: number) => boolean): t.Type<number> =>
  guardCodec(name, (value): value is number => typeof value === 'number' && isValid(value))

const AnyUnits = units('an integer as text', () => true)
const Quantity = units('an integer of at least 0 as text', (value) => value >= 0n)
const Time = number('a time in ms since the Unix epoch', isValueTime)
const Amount = number('a finite number of at least 0', (value) => value >= 0 && value < Infinity)
const Count = number('an integer of at least 0', (value) => Number.isSafeInteger(value) && value >= 0)
const Text = guardCodec('a text', (value): value is string => typeof value === 'string' && value !== '')

/** Fields that a strategy has added are kept. */
const TradeOrderValue = guardCodec(
  'an order that trades',
  (value): value is TradeOrder =>
    orderProblem(value) === undefined && (value as { readonly _tag: string })._tag !== 'Cancel',
)

const Holding = t.strict({
  symbol: Text,
  quantity: AnyUnits,
  averagePrice: Amount,
  taken: t.readonlyArray(t.tuple([Time, t.strict({ buy: Quantity, sell: Quantity })])),
})

const WorkingOrderValue = t.strict({
  id: Text,
  order: TradeOrderValue,
  decidedAt: Time,
  remaining: optional(Quantity),
  best: optional(PriceValue),
  triggeredAt: optional(Time),
  isResting: t.boolean,
})

const Prices = t.record(t.string, PriceValue, 'prices by symbol')

/** The lines with which others compute. The fields of further lines are not checked. */
const codecs: Readonly<Partial<Record<string, t.Decoder<unknown, unknown>>>> = {
  State: t.strict(
    {
      ...{ _tag: t.literal('State'), at: Time, cash: JsonNumber, fees: Amount, isLiquidated: t.boolean },
      ...{ numbered: Count, prices: Prices, sampled: optional(t.strict({ at: Time, isCurrent: t.boolean })) },
      holdings: t.readonlyArray(Holding, 'a list of positions'),
      orders: t.readonlyArray(WorkingOrderValue, 'a list of orders'),
    },
    what,
  ),
  Filled: t.type(
    {
      ...{ at: Time, decidedAt: Time, id: Text, order: TradeOrderValue, symbol: Text },
      ...{ side: t.keyof({ buy: null, sell: null }, 'buy or sell'), price: Amount, quantity: Quantity },
      ...{ remaining: Quantity, valueUsd: JsonNumber, feeUsd: JsonNumber, slippageUsd: JsonNumber },
    },
    what,
  ),
  Equity: t.type({ at: Time, equityUsd: JsonNumber, isCurrent: t.boolean, prices: Prices }, what),
}

const AnyLine = t.type({ at: Time }, what)
