import * as t from 'io-ts/lib/index.js'
import type { PricePosition } from '../../base/domain/position.js'
import { readPosition } from './position.js'

/** The field of an object that may have a position. A file of its own, because a page with prices does without it. */
export const OptionalPosition = {
  position: new t.Type<PricePosition | undefined, unknown>(
    'a position',
    (value): value is PricePosition | undefined => value === undefined || readPosition(value) !== undefined,
    (value) => t.success(readPosition(value)),
    t.identity,
  ),
}
