// The rows of the React example, with a log of their commits: the symbol, and the time of the animation frame.
import { Profiler, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { openMarket } from '../market.js'
import { PriceRow } from '../react/Prices.js'

const commits: string[] = []
Object.assign(globalThis, { commits })

const onRender = (symbol: string): void => {
  commits.push(`${symbol} at ${document.timeline.currentTime}`)
}

createRoot(document.querySelector('tbody')!).render(
  <StrictMode>
    {openMarket(location.search).map((row) => (
      <Profiler key={row.symbol} id={row.symbol} onRender={onRender}>
        <PriceRow row={row} />
      </Profiler>
    ))}
  </StrictMode>,
)
