import { checkedOption, plainObject, withDefault, type Option } from '../base/option-kinds/option.js'

/** A list of such items. Default: an empty one. */
export const listOption = <A>(expected: string, isItem: (value: unknown) => boolean) =>
  withDefault<readonly A[]>(
    checkedOption('array', { expected, holds: (value) => Array.isArray(value) && value.every(isItem) }),
    [],
  )

/** An object with such values, by their names. */
export const recordOption = <A>(expected: string, isValue: (value: unknown) => boolean): Option<A> =>
  checkedOption('object', {
    expected,
    holds: (value) => plainObject.holds(value) && Object.values(value as object).every(isValue),
  })

export const functionCheck = (expected = 'a function') => ({
  expected,
  holds: (value: unknown) => typeof value === 'function',
})
