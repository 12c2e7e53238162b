import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { openMarket } from '../market.js'
import { Prices } from './Prices.js'

// The stores outlive the components: neither a remount nor a hot reload connects again.
const rows = openMarket(location.search)

createRoot(document.querySelector('#root')!).render(
  <StrictMode>
    <Prices rows={rows} />
  </StrictMode>,
)
