import { availableParallelism } from 'node:os'
import { integerOption } from '../option-kinds/number-option.js'

/** Of the function `sweep`, and of the command. */
export const workersOption = integerOption({
  meaning: 'Number of worker threads',
  min: 1,
  max: 1024,
  default: availableParallelism(),
  defaultText: 'the number of cores',
})
