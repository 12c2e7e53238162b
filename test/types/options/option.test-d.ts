import { describe, test } from 'vitest'
import { numberOption } from '../../../src/options/number-option.js'
import { flagOption, type OptionTable } from '../../../src/options/option.js'

interface Options {
  readonly size: number
  readonly loud?: boolean
}

const size = { ...numberOption({ meaning: 'Size' }), required: true } as const
const loud = flagOption({ meaning: 'Loud' })

const accept = (table: OptionTable<Options>): OptionTable<Options> => table

test('a table describes every option, and no other', () => {
  accept({ size, loud })
})

describe('what does not compile', () => {
  test('a missing description', () => {
    // @ts-expect-error -- loud is missing
    accept({ size })
  })

  test('a description of an option that does not exist', () => {
    // @ts-expect-error -- quiet is not an option
    accept({ size, loud, quiet: loud })
  })

  test('a description of another type', () => {
    // @ts-expect-error -- loud is a boolean
    accept({ size, loud: numberOption({ meaning: 'Loud', default: 1 }) })
  })

  test('a default of another type', () => {
    // @ts-expect-error -- loud is a boolean
    flagOption({ meaning: 'Loud', default: 1 })
  })

  test('a required option that is described as optional, and the other way round', () => {
    // @ts-expect-error -- size is required
    accept({ size: numberOption({ meaning: 'Size' }), loud })
    // @ts-expect-error -- loud is optional
    accept({ size, loud: { ...loud, required: true } })
  })
})
