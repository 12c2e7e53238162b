import { useState, useSyncExternalStore } from 'react'
import type { Row } from '../market.js'

export const Prices = ({ rows }: { readonly rows: readonly Row[] }) => {
  const [isShown, setIsShown] = useState(true)
  return (
    <main>
      <h1>Live prices</h1>
      <label>
        <input type="checkbox" checked={isShown} onChange={(event) => setIsShown(event.target.checked)} />{' '}
        Show prices
      </label>
      {isShown && (
        <table>
          <caption>Prices in USD</caption>
          <thead>
            <tr>
              <th scope="col">Token</th>
              <th scope="col">Price</th>
              <th scope="col">Change</th>
              <th scope="col">State</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <PriceRow key={row.symbol} row={row} />
            ))}
          </tbody>
        </table>
      )}
    </main>
  )
}

/** Renders again when its own price changes, at most once per animation frame. */
export const PriceRow = ({ row: { symbol, store, cells } }: { readonly row: Row }) => {
  const snapshot = useSyncExternalStore(store.subscribe, store.getSnapshot, store.getServerSnapshot)
  const { price, change, state } = cells(snapshot)
  return (
    <tr data-state={state}>
      <th scope="row">{symbol}</th>
      <td>{price}</td>
      <td>{change}</td>
      <td>{state}</td>
    </tr>
  )
}
