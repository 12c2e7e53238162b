import { describe, expectTypeOf, test } from 'vitest'
import { numberOption } from '../../../../src/base/option-kinds/number-option.js'
import {
  flagOption,
  nestedOption,
  objectOption,
  required,
  type OptionTable,
} from '../../../../src/base/option-kinds/option.js'
import { parseOptions } from '../../../../src/base/option-kinds/parse-options.js'

interface Options {
  readonly size: number
  readonly verbose?: boolean
}

const size = required(numberOption({ default: 1 }))
const verbose = flagOption(false)

const accept = (table: OptionTable<Options>): OptionTable<Options> => table

test('OptionTable describes every option, and no other', () => {
  accept({ size, verbose })
})

describe('a compile error occurs for', () => {
  test('a missing description', () => {
    // @ts-expect-error -- verbose is missing
    accept({ size })
  })

  test('a description of an option that does not exist', () => {
    // @ts-expect-error -- quiet is not an option
    accept({ size, verbose, quiet: verbose })
  })

  test('a description of another type', () => {
    // @ts-expect-error -- verbose is a boolean
    accept({ size, verbose: numberOption({ default: 1 }) })
  })

  test('a default of another type', () => {
    // @ts-expect-error -- verbose is a boolean
    flagOption(1)
  })

  test('a required option that is described as optional, or the reverse', () => {
    // @ts-expect-error -- size is required
    accept({ size: numberOption({ default: 1 }), verbose })
    // @ts-expect-error -- verbose is optional
    accept({ size, verbose: required(verbose) })
  })
})

test('parseOptions returns the type of each option, and undefined for one without a default', () => {
  const nested = { ...nestedOption({ size }), default: {} }
  const table = { size, verbose, handler: objectOption<{ run: () => void }>(['run']), nested }
  expectTypeOf(parseOptions(table, {})).toEqualTypeOf<{
    readonly size: number
    readonly verbose: boolean
    readonly handler: { run: () => void } | undefined
    readonly nested: { readonly size: number }
  }>()
})
