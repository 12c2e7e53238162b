// Backtests one strategy over a recording of one topic: it holds the token while its price is above the average of the last
// `length` prices. Fails without trades.
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'

const [, , way, recording, topic] = process.argv

const length = 500

/** Adds a price, and returns the average of the last ones. */
const createAverage = () => {
  const prices = []
  let sum = 0
  return (price) => {
    prices.push(price)
    sum += price - (prices.length > length ? prices.shift() : 0)
    return sum / prices.length
  }
}

async function* recordedPrices() {
  for await (const line of createInterface({ input: createReadStream(recording) })) {
    const row = JSON.parse(line)
    if (row._tag === 'Price') yield row.event.right
  }
}

const ways = {
  'by hand': async () => {
    const average = createAverage()
    const trades = []
    let entry
    let order
    for await (const { price, receivedAt } of recordedPrices()) {
      if (order === 'enter') entry = { price, receivedAt }
      if (order === 'exit') {
        trades.push({ entry, profit: price - entry.price, receivedAt })
        entry = undefined
      }
      const isAbove = price > average(price)
      order = isAbove === (entry !== undefined) ? undefined : isAbove ? 'enter' : 'exit'
    }
    return trades.length
  },
  grademark: async () => {
    const { default: dataForge } = await import('data-forge')
    const { default: grademark } = await import('grademark')
    const average = createAverage()
    const bars = []
    for await (const { price, receivedAt } of recordedPrices()) {
      const all = { open: price, high: price, low: price, close: price, average: average(price) }
      bars.push({ time: new Date(receivedAt), volume: 1, ...all })
    }
    const strategy = {
      entryRule: (enter, { bar }) => {
        if (bar.close > bar.average) enter()
      },
      exitRule: (exit, { bar }) => {
        if (bar.close <= bar.average) exit()
      },
    }
    return grademark.backtest(strategy, new dataForge.DataFrame(bars)).length
  },
  'svc-streams': async () => {
    const { count, filter, lastValueFrom, mergeMap } = await import('rxjs')
    const { defineTokens } = await import('../node_modules/.build/index.js')
    const { rights } = await import('../node_modules/.build/operators/index.js')
    const { paper, target } = await import('../node_modules/.build/paper/index.js')
    const { replay } = await import('../node_modules/.build/recording/index.js')
    const address = topic.slice(topic.indexOf('-') + 1)
    const options = {
      ...{ tokens: defineTokens({ A: { address, decimals: 18 } }), cash: 1_000_000 },
      ...{ feeBps: 0, slippageBps: 0, latency: 0, depthInterval: 1_000 },
    }
    const strategy = ({ price$ }) => {
      const average = createAverage()
      let isHeld = false
      return price$(topic).pipe(
        rights(),
        mergeMap(({ price }) => {
          const isAbove = price > average(price)
          if (isAbove === isHeld) return []
          isHeld = isAbove
          return [target('A', { usd: isHeld ? 1_000 : 0 })]
        }),
      )
    }
    const event$ = replay(recording, { speed: Infinity }).run$((client) => paper(client, strategy, options))
    // A trade is a purchase and a sale.
    return (
      (await lastValueFrom(
        event$.pipe(
          filter(({ _tag }) => _tag === 'Filled'),
          count(),
        ),
      )) / 2
    )
  },
}

const trades = await ways[way]()
if (trades < 100) throw new Error(`${way}: ${trades} trades`)
if (process.stdout.isTTY) console.log(trades)
