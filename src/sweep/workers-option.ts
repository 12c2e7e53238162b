import { availableParallelism } from 'node:os'
import { integerOption } from '../option-kinds/number-option.js'

/** Of the function `sweep`, and of the command. */
export const workersOption = integerOption({
  min: 1,
  max: 1024,
  default: availableParallelism(),
})
