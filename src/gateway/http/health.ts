import { jsonResponse } from '../../server/text-response.js'
import type { PriceSide } from '../prices/price-side.js'
import type { HttpResponse } from './http-response.js'

/** 200 if the connection to the service is usable, otherwise 503. */
export const healthResponse = (prices: PriceSide): HttpResponse => {
  const isUp = prices.isUp()
  const { connections, topics } = prices.snapshot()
  const health = {
    status: isUp ? 'up' : 'down',
    upstream: prices.upstream()._tag,
    connections,
    topics: topics.length,
  }
  return jsonResponse(isUp ? 200 : 503, JSON.stringify(health))
}
