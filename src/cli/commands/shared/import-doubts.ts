import { describeValue, printable } from '../../../base/errors/text.js'
import type { MarketFile } from '../../../backtest/import/market-file.js'
import { formatTime } from '../../../view/texts.js'

/** What would make another market of all files of an import together. `isOneToken`: --token is given. */
export const doubtsOfAll = (files: readonly MarketFile[], isOneToken: boolean): readonly string[] => [
  ...(isOneToken ? symbolDoubts(files) : []),
  ...overlapDoubts(files),
]

/** A doubt about several symbols, of which --token names one. */
const symbolDoubts = (files: readonly MarketFile[]): readonly string[] => {
  const symbols = new Set(files.flatMap(({ series, unknown }) => [...series.keys(), ...unknown]))
  const shown = [...symbols].filter((symbol) => symbol !== '').slice(0, 3)
  if (shown.length < 2) return []
  return [
    `there are several symbols, such as ${shown.map(describeValue).join(', ')}, and --token names one token: give --tokens`,
  ]
}

/** A doubt for each two files with different candles of one token and start. */
const overlapDoubts = (files: readonly MarketFile[]): readonly string[] =>
  files.flatMap((file, index) =>
    files.slice(0, index).flatMap((other) => {
      if (file.from > other.to || file.to < other.from) return []
      const start = differentStart(file, other)
      if (start === undefined) return []
      const names = `${printable(other.path)} and ${printable(file.path)}`
      return [`${names} have different candles that start at ${formatTime(start)}: keep those of one of them`]
    }),
  )

/** The first start at which two files have candles of one token with different prices, in ms since the Unix epoch. */
const differentStart = (file: MarketFile, other: MarketFile): number | undefined => {
  const others = [...other.series.values()]
  for (const { token, candles } of file.series.values()) {
    const compared = others.flatMap((each) => (each.token.topic === token.topic ? each.candles : []))
    let next = 0
    for (const { at, candle } of candles) {
      while ((compared[next]?.at ?? Infinity) < at) next++
      const { at: start, candle: second } = compared[next] ?? {}
      if (start === at && second?.prices.some((price, of) => price !== candle?.prices[of]) === true) return at
    }
  }
  return undefined
}
