import { jsonResponse } from '../../server/text-response.js'
import type { PriceSide } from '../prices/price-side.js'
import type { HttpResponse } from './http-response.js'

/** The health of a gateway, by path; `undefined` for other paths. */
export const healthOf = (path: string, prices: PriceSide): HttpResponse | undefined => {
  switch (path) {
    case '/health':
      return healthResponse(prices)
    case '/health/live':
      return jsonResponse(200, '{"status":"up"}')
    case '/health/ready':
      return readyResponse(prices)
    default:
      return undefined
  }
}

/** 200 if a further consumer is accepted, otherwise 503 with the reason. */
const readyResponse = (prices: PriceSide): HttpResponse => {
  const reason = prices.refusal()
  return reason === undefined
    ? jsonResponse(200, '{"status":"ready"}')
    : jsonResponse(503, JSON.stringify({ status: 'not ready', reason }))
}

/** 200 if the connection to the service is usable, otherwise 503. */
const healthResponse = (prices: PriceSide): HttpResponse => {
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
