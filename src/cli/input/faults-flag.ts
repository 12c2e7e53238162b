import { InvalidArgumentError } from 'commander'
import type { Faults } from '../../simulator/index.js'

/** Parses the argument of `--faults`. The simulator checks the faults themselves. */
export const parseFaults = (text: string): Faults => {
  const value = parsed(text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new InvalidArgumentError('Give a JSON object like {"httpStatus":503}.')
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
