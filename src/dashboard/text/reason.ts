import { assertNever } from '../../domain/assert-never.js'
import type { DepthError, PriceError } from '../../errors/model.js'
import { behindText, oneLine } from '../../errors/text.js'
import type { Card } from '../model/card.js'
import { shortAddresses } from './short-addresses.js'

/** Why the price of a card is not current; empty if it is. */
export const priceReason = ({ state, price, priceError }: Card): string => {
  if (state === 'live') return ''
  if (state === 'down') return 'the connection is down'
  if (priceError !== undefined) return errorReason(priceError)
  return price === undefined ? 'waiting for the first price' : 'waiting for a new price'
}

const errorReason = (error: PriceError): string => {
  switch (error._tag) {
    case 'Stale':
      return error.behindMs === undefined
        ? 'the service sends no price'
        : `the prices are ${behindText(error.behindMs)}`
    case 'Disconnected':
    case 'ClientClosed':
      return 'the connection was lost'
    case 'SubscriptionRejected':
      return shortAddresses(oneLine(error.reason))
    case 'InvalidTopic':
      return 'the address is not valid'
    case 'SubscriptionTimeout':
      return 'the service has not answered'
    case 'DecodeError':
      return 'the last message is not readable'
    default:
      return assertNever(error)
  }
}

/** Why there is no depth, in place of its value. */
export const depthReason = (error: DepthError): string => {
  switch (error._tag) {
    case 'HttpError':
      return `HTTP ${error.status}`
    case 'NetworkError':
      return 'no connection'
    case 'Timeout':
      return 'no answer'
    case 'Unauthorized':
      return 'not authorized'
    case 'UnsupportedPair':
      return 'not supported'
    case 'DecodeError':
      return 'not readable'
    case 'InvalidMint':
      return 'invalid address'
    case 'InvalidInterval':
      return 'invalid interval'
    case 'ClientClosed':
      return 'closed'
    default:
      return assertNever(error)
  }
}
