// A strategy for the table of sweeps: the prices at which the average of the last `length` prices is crossed.
import { filter, map, pairwise, scan } from 'rxjs'
import { rights } from '../node_modules/.build/operators/index.js'

export default (client, { topic, length }) =>
  client.price$(topic).pipe(
    rights(),
    scan(
      ({ prices, sum }, { price }) => {
        prices.push(price)
        const dropped = prices.length > length ? prices.shift() : 0
        return { prices, sum: sum + price - dropped, price }
      },
      { prices: [], sum: 0, price: 0 },
    ),
    map(({ prices, sum, price }) => ({ price, isAbove: price > sum / prices.length })),
    pairwise(),
    filter(([before, after]) => before.isAbove !== after.isAbove),
    map(([, { price }]) => price),
  )
