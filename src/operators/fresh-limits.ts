import { ConfigurationError } from '../base/errors/configuration-error.js'
import { describeValue } from '../base/errors/text.js'
import { msFrom } from '../base/option-kinds/number-option.js'
import { checkedOption, plainObject, type OptionTable } from '../base/option-kinds/option.js'
import { checkValue, parseOptions, shown, type CheckRules } from '../base/option-kinds/parse-options.js'

/** Maximum ages of the legs of `combineFresh`: of all legs, or of those that the record names, in ms. */
export type MaxAge<Leg extends string = string> = number | Readonly<Partial<Record<Leg, number>>>

interface Limits<Leg extends string> {
  /**
   * Maximum age difference between the newest leg and any other leg, in ms: a finite number of at least 0. A quiet leg
   * ages while the others emit: the service repeats an unchanged price about every 10 s, so a lower value gives a
   * `Left` until then. Default: no limit.
   */
  readonly maxSkew?: number
  /**
   * Maximum age of a value, in ms: a finite number of at least 0 for all legs, or a record of such numbers for some of the
   * legs. A leg without a limit is current until its `Left`. Default: no limit.
   */
  readonly maxAge?: MaxAge<Leg>
}

/** Options of `combineFresh`: at least one of both. Any other value throws a `ConfigurationError`. */
export type CombineFreshOptions<Leg extends string = string> = Limits<Leg> &
  ({ readonly maxSkew: number } | { readonly maxAge: MaxAge<Leg> })

/** The limits of legs, in ms; `Infinity` where there is none. */
export interface FreshLimits {
  readonly maxSkew: number
  readonly maxAgeOf: (leg: string) => number
}

export const freshLimits = (legs: readonly string[], options: CombineFreshOptions): FreshLimits => {
  const { maxSkew, maxAge } = parseOptions(optionTable, options, rules)
  if (maxSkew === undefined && maxAge === undefined) {
    throw new ConfigurationError('maxSkew', 'combineFresh needs maxSkew or maxAge, or both')
  }
  return { maxSkew: maxSkew ?? Infinity, maxAgeOf: maxAges(legs, maxAge) }
}

const maxAges = (legs: readonly string[], maxAge: MaxAge = Infinity): FreshLimits['maxAgeOf'] => {
  if (typeof maxAge === 'number') return () => maxAge
  const ages = new Map(Object.entries(maxAge as Readonly<Record<string, number>>))
  if (ages.size === 0) throw new ConfigurationError('maxAge', 'names no leg')
  for (const [leg, ms] of ages) {
    if (!legs.includes(leg)) {
      const known = legs.map((key) => describeValue(key)).join(', ')
      throw new ConfigurationError(
        `maxAge.${leg}`,
        `combineFresh has no leg ${describeValue(leg)}, only ${known}`,
      )
    }
    checkValue(`maxAge.${leg}`, ms, limit, shown)
  }
  return (leg) => ages.get(leg) ?? Infinity
}

const limit = msFrom(0)

const optionTable = {
  maxSkew: checkedOption<number>('number', limit),
  maxAge: checkedOption<MaxAge>('object', {
    expected: `${limit.expected}, or a record of such numbers`,
    holds: (value) => plainObject.holds(value) || limit.holds(value),
  }),
} satisfies OptionTable<Limits<string>>

const rules: CheckRules = { ...shown, expected: 'an object like { maxAge: { depth: 2000 } }' }
