import { describe, test } from 'vitest'
import { numberOption } from '../../../src/option-kinds/number-option.js'
import { flagOption, type OptionTable } from '../../../src/option-kinds/option.js'

interface Options {
  readonly size: number
  readonly verbose?: boolean
}

const size = { ...numberOption({}), required: true } as const
const verbose = flagOption({})

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
    flagOption({ default: 1 })
  })

  test('a required option that is described as optional, or the reverse', () => {
    // @ts-expect-error -- size is required
    accept({ size: numberOption({}), verbose })
    // @ts-expect-error -- verbose is optional
    accept({ size, verbose: { ...verbose, required: true } })
  })
})
