import { objectWith } from '../option-kinds/option.js'
import { checkValue } from '../option-kinds/parse-options.js'

/** Throws a `ConfigurationError` for a value that is no client, such as the options of the function without a client before them. */
export const checkClient = (client: unknown): void => checkValue('client', client, streams)

const streams = objectWith(['price$', 'price'])
