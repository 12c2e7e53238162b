import * as t from 'io-ts/lib/index.js'
import { readPosition, type PricePosition } from '../../base/domain/position.js'

/** The field of an object that may have a position. A page with prices does without it. */
export const OptionalPosition = {
  position: new t.Type<PricePosition | undefined, unknown>(
    'a position',
    (value): value is PricePosition | undefined => value === undefined || readPosition(value) !== undefined,
    (value) => t.success(readPosition(value)),
    t.identity,
  ),
}
